package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// Pin is what WritePin writes into the arbiter's plugin block.
type Pin struct {
	Path   string // of the program; empty: is left as it is
	SHA256 string // of the program
}

// Pinned is what WritePin has found and done.
type Pinned struct {
	Changed bool
	Before  string // the sum that was there; empty: none
	Line    int    // of the sum, now
}

// WritePin writes a plugin's sum into the configuration file at path, making the
// plugin block if there is none, and keeps everything else as it was written. A
// file that says so already is not touched; otherwise a new one takes its place,
// whole, with its mode and owner.
func WritePin(path string, p Pin) (Pinned, error) {
	text, err := read(path)
	if err != nil {
		return Pinned{}, fmt.Errorf("%s: %w", path, err)
	}
	var done Pinned
	out := text
	for _, set := range []struct{ name, value string }{{"path", p.Path}, {"sha256", p.SHA256}} {
		if set.value == "" {
			continue
		}
		var before string
		if out, before, done.Line, err = setPlugin(out, path, set.name, set.value); err != nil {
			return Pinned{}, err
		}
		if set.name == "sha256" {
			done.Before = before
		}
	}
	if bytes.Equal(text, out) {
		return done, nil
	}
	if _, diags := parse(path, filepath.Dir(path), out); diags.HasErrors() {
		return Pinned{}, fmt.Errorf("%s would not be right any more, and is left as it is: %w", path, diags.Err())
	}
	done.Changed = true
	return done, replace(path, out)
}

// LoadToPin is Load for a file whose pin is to be written anew: one that is
// written out there and is no SHA-256 keeps nobody from putting a right one in its
// place.
func LoadToPin(path string) (*Config, Diagnostics) {
	text, err := read(path)
	if err != nil {
		return Load(path) // which says so
	}
	_, plugin, err := arbiterBlocks(text, path)
	if err != nil || plugin == nil {
		return Load(path)
	}
	sum, there := plugin.Body.Attributes["sha256"]
	if !there || len(sum.Expr.Variables()) > 0 {
		return Load(path)
	}
	if _, diags := sum.Expr.Value(nil); diags.HasErrors() {
		return Load(path)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		dir = filepath.Dir(path)
	}
	return parse(path, dir, splice(text, sum.Expr.Range(), quoted(strings.Repeat("0", 64))))
}

// setPlugin returns text with an attribute of the plugin block set to a string,
// what it was before, and the line where it stands.
func setPlugin(text []byte, file, name, value string) (out []byte, before string, line int, err error) {
	arbiter, plugin, err := arbiterBlocks(text, file)
	if err != nil {
		return nil, "", 0, err
	}
	if plugin == nil {
		out = insertInto(text, arbiter, "plugin {", "}")
	} else if attribute, there := plugin.Body.Attributes[name]; there {
		where := attribute.Expr.Range()
		old, diags := attribute.Expr.Value(nil)
		if diags.HasErrors() || len(attribute.Expr.Variables()) > 0 {
			return nil, "", 0, fmt.Errorf("%s:%d: %s is not written out there: change it where it comes from", file, where.Start.Line, name)
		}
		if old.Type() == cty.String && !old.IsNull() {
			before = old.AsString() // anything else is no sum at all
		}
		if before == value {
			return text, value, where.Start.Line, nil
		}
		return splice(text, where, quoted(value)), before, where.Start.Line, nil
	} else {
		out = insertInto(text, plugin, name+" = "+quoted(value))
	}
	if bytes.Equal(hclwrite.Format(text), text) { // keep it as hclfmt would have it
		out = hclwrite.Format(out)
	}
	if plugin == nil {
		return setPlugin(out, file, name, value)
	}
	_, _, line, err = setPlugin(out, file, name, value) // which finds it there now
	return out, "", line, err
}

// arbiterBlocks finds the arbiter's block and, if there is one, the plugin block
// in it.
func arbiterBlocks(text []byte, file string) (arbiter, plugin *hclsyntax.Block, err error) {
	parsed, diags := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	found := blocksOf(parsed.Body.(*hclsyntax.Body), "arbiter")
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("%s has no arbiter block", file)
	}
	if inner := blocksOf(found[0].Body, "plugin"); len(inner) > 0 {
		plugin = inner[0]
	}
	return found[0], plugin, nil
}

func quoted(value string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(value)).Bytes())
}

// splice puts something in the place of a range.
func splice(text []byte, where hcl.Range, by string) []byte {
	return []byte(string(text[:where.Start.Byte]) + by + string(text[where.End.Byte:]))
}

// insertInto puts lines at the end of a block, indented as they belong there.
func insertInto(text []byte, b *hclsyntax.Block, lines ...string) []byte {
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	base, in := indentation(text, b.TypeRange.Start.Byte), indentationIn(text, b)
	var inserted strings.Builder
	for _, line := range lines {
		inserted.WriteString(in + line + end)
	}
	open, shut := b.OpenBraceRange.End.Byte, b.CloseBraceRange.Start.Byte
	if b.OpenBraceRange.Start.Line < b.CloseBraceRange.Start.Line {
		shut -= len(indentation(text, shut)) // the brace has a line of its own
		return []byte(string(text[:shut]) + inserted.String() + string(text[shut:]))
	}
	inside := strings.TrimSpace(string(text[open:shut]))
	if inside != "" {
		inside = in + inside + end
	}
	return []byte(string(text[:open]) + end + inside + inserted.String() + base + string(text[shut:]))
}

// indentation is the white space that begins the line in which a byte stands.
func indentation(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentationIn is that of the first thing in a block, or what is usual.
func indentationIn(text []byte, b *hclsyntax.Block) string {
	first := b.CloseBraceRange.Start
	for _, attribute := range b.Body.Attributes {
		if at := attribute.NameRange.Start; at.Byte < first.Byte {
			first = at
		}
	}
	for _, block := range b.Body.Blocks {
		if at := block.TypeRange.Start; at.Byte < first.Byte {
			first = at
		}
	}
	if first == b.CloseBraceRange.Start || first.Line == b.OpenBraceRange.Start.Line {
		return indentation(text, b.TypeRange.Start.Byte) + "  "
	}
	return indentation(text, first.Byte)
}

// replace puts a file of that content in the place of the one at path, which may
// be a symbolic link, with the same mode and owner: there is the old one or the
// new one, never a part.
func replace(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	err = renewed(path, info, content)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("user %d may not replace %s, which is left as it is: run it as root or as %s, or write what --print prints into its arbiter block by hand",
			os.Geteuid(), path, owner(info))
	}
	return err
}

func renewed(path string, old fs.FileInfo, content []byte) (err error) {
	next, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, next.Cleanup()) }()
	if _, err := next.Write(content); err != nil {
		return err
	}
	if err := sameOwner(next.File, old); err != nil {
		return err
	}
	return next.CloseAtomicallyReplace()
}

// owner names whose file it is.
func owner(info fs.FileInfo) string {
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("its owner, user %d, with its folder writable", of.Uid)
	}
	return "its owner"
}

func sameOwner(f *os.File, like fs.FileInfo) error {
	owner, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() && int(owner.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}
