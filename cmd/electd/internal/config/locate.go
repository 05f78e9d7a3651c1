package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/electd/electd/core"
)

// Locate turns an error that arose from a block's values into diagnostics at
// the attribute that a core.AttributeError in it names, or at the block if it
// names none. An error that joins several gives several. The block is given by
// its path: "arbiter", "transport", "api", ElectionPath("orders") + ".run".
func (c *Config) Locate(block string, err error) Diagnostics {
	var diags hcl.Diagnostics
	for _, one := range apart(err) {
		path, summary, detail := block, c.title(block)+" cannot be used", sentence(one.Error())
		var wrong *core.AttributeError
		if errors.As(one, &wrong) {
			path = c.attributePath(block, wrong.Attribute)
			summary = fmt.Sprintf("%s: %s: %s", c.title(block), wrong.Attribute, wrong.Problem)
			detail = explain(wrong)
		}
		diags = append(diags, c.diagnostic(hcl.DiagError, path, summary, detail))
	}
	return c.diagnostics(diags)
}

// Warn returns a warning about the attribute or block at path.
func (c *Config) Warn(path, summary, detail string) Diagnostics {
	return c.diagnostics(hcl.Diagnostics{c.diagnostic(hcl.DiagWarning, path, summary, detail)})
}

// ElectionPath returns the path of an election's block, for Locate.
func ElectionPath(name string) string { return labelPath("election", name) }

// title names a block for people.
func (c *Config) title(block string) string {
	if block == "arbiter" {
		return fmt.Sprintf("arbiter %q", c.Arbiter.Name)
	}
	return block
}

// spoken is a labelled block in an attribute's path as people write it.
var spoken = regexp.MustCompile(`(\w+) "([^"]*)"`)

// attributePath returns the path of an attribute that is named relative to its
// block, or from the top.
func (c *Config) attributePath(block, attribute string) string {
	attribute = spoken.ReplaceAllString(attribute, `$1["$2"]`)
	if _, fromTop := c.where[attribute]; fromTop {
		return attribute
	}
	return join(block, attribute)
}

// explain gives an attribute error's cause and advice.
func explain(e *core.AttributeError) string {
	var sentences []string
	if e.Err != nil {
		sentences = append(sentences, sentence(e.Err.Error()))
	}
	if e.Advice != "" {
		sentences = append(sentences, sentence(e.Advice))
	}
	return strings.Join(sentences, " ")
}

// apart returns the errors that errors.Join has put together.
func apart(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, apart(one)...)
		}
		return errs
	}
	return []error{err}
}
