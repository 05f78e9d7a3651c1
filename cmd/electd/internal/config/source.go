package config

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/electd/electd/plugins"
)

// source is where a configuration came from, so that whatever is found wrong
// with it, now or later, can be shown where the user wrote it.
type source struct {
	dir   string               // relative paths start here
	files map[string]*hcl.File // what was read, by name
	where map[string]hcl.Range // by path: an attribute's value, a block's header
	eval  *hcl.EvalContext     // env() and file()

	flags   map[string]string // by path: the flag that sets it, if there is no file
	flagged map[string]bool   // by path: the flag was given

	undecoded arbiterSource
}

// arbiterSource is the undecoded part of the arbiter's configuration.
type arbiterSource struct {
	body *hclsyntax.Body // the arbiter block; nil if there is no file
	own  []field         // what of the block is electd's own
	set  []string        // the values of --set if there is no file

	schema *plugins.Schema // once decoded
	values plugins.Values  // once decoded
}

// at returns where the attribute or block at path was written; for what was not
// written, where its block was; nil for what came from flags.
func (s *source) at(path string) *hcl.Range {
	if s.where == nil {
		return nil
	}
	for {
		if r, ok := s.where[path]; ok {
			return &r
		}
		if path == "" {
			return nil
		}
		path = parent(path)
	}
}

// given tells whether the user set the attribute at path.
func (s *source) given(path string) bool {
	_, inFile := s.where[path]
	return inFile || s.flagged[path]
}

// diagnostic returns a diagnostic about the attribute or block at path. Without
// a file it names the flag, or else the path.
func (s *source) diagnostic(severity hcl.DiagnosticSeverity, path, summary, detail string) *hcl.Diagnostic {
	where := s.at(path)
	if where == nil {
		attribute, arbiters := strings.CutPrefix(path, "arbiter.")
		if flag, ok := s.flags[path]; ok {
			summary = flag + ": " + summary
		} else if arbiters {
			summary = "--set " + attribute + ": " + summary
		} else if path != "" {
			summary = path + ": " + summary
		}
	}
	return &hcl.Diagnostic{Severity: severity, Summary: summary, Detail: detail, Subject: where}
}

// parent returns the path of what encloses path; the top level is "".
func parent(path string) string {
	if strings.HasSuffix(path, `"]`) {
		return path[:strings.LastIndex(path, `["`)]
	}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}
