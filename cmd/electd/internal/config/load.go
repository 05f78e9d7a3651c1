package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxConfig bounds a configuration file, far above what a thousand elections take.
const maxConfig = 4 << 20

// Load reads and validates the configuration file at path. If the diagnostics
// have errors the configuration is nil. The arbiter's own attributes are not
// looked at: see DecodeArbiter.
func Load(path string) (*Config, Diagnostics) {
	text, err := read(path)
	if err != nil {
		return nil, Diagnostics{list: hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Configuration " + path + " cannot be read",
			Detail:   sentence(err.Error()),
		}}}
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		dir = filepath.Dir(path)
	}
	return parse(path, dir, text)
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file; name another one with --config")
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder; name the file inside it")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1)) // a pipe or a device has no size to ask for
	if len(text) > maxConfig {
		return nil, fmt.Errorf("it is larger than %d MiB", maxConfig>>20)
	}
	return text, err
}

// parse decodes and validates text, the contents of the file called name.
// Relative paths in it start at dir.
func parse(name, dir string, text []byte) (*Config, Diagnostics) {
	c := &Config{source: source{
		dir:   dir,
		files: map[string]*hcl.File{name: {Bytes: text}},
		where: map[string]hcl.Range{"": {Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}},
		eval:  evaluation(dir),
	}}
	if diag := beyondBounds(name, text); diag != nil {
		return nil, c.diagnostics(hcl.Diagnostics{diag})
	}
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	c.files[name] = file
	if diags.HasErrors() {
		first := aboutQuotes(text, diags[0]) // the others mostly follow from it
		return nil, c.diagnostics(withoutExpressions(hcl.Diagnostics{first}))
	}
	d := decoder{src: &c.source, eval: c.eval, diags: diags}
	d.body(file.Body.(*hclsyntax.Body), reflect.ValueOf(c).Elem(), "")
	if d.diags.HasErrors() {
		return nil, c.diagnostics(d.diags)
	}
	return c.finish(d.diags)
}

// finish fills in what depends on other attributes and validates.
func (c *Config) finish(diags hcl.Diagnostics) (*Config, Diagnostics) {
	c.complete()
	v := &validator{source: &c.source, diags: diags}
	v.config(c)
	if v.diags.HasErrors() {
		return nil, c.diagnostics(v.diags)
	}
	return c, c.diagnostics(v.diags)
}

// diagnostics returns list in the file's order, with the lines to show.
func (s *source) diagnostics(list hcl.Diagnostics) Diagnostics {
	return Diagnostics{list: sorted(list), files: s.redacted()}
}
