package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxFile bounds what file() reads: it is for tokens and names, not for data.
const maxFile = 64 << 10

// evaluation returns what expressions may use: env() and file(), no variables.
func evaluation(dir string) *hcl.EvalContext {
	return &hcl.EvalContext{Functions: map[string]function.Function{
		"env":  envFunction,
		"file": fileFunction(dir),
	}}
}

// envFunction is env("NAME") or env("NAME", "otherwise"). A variable that is not
// set and has no other value is an error, not an empty string.
var envFunction = function.New(&function.Spec{
	Params:   []function.Parameter{{Name: "name", Type: cty.String}},
	VarParam: &function.Parameter{Name: "otherwise", Type: cty.String},
	Type:     function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if len(args) > 2 {
			return cty.NilVal, errors.New("env takes a name and at most one value for when it is not set")
		}
		name := args[0].AsString()
		if value, ok := os.LookupEnv(name); ok {
			return cty.StringVal(value), nil
		}
		if len(args) == 2 {
			return args[1], nil
		}
		return cty.NilVal, fmt.Errorf("the environment variable %s is not set; set it or give env a second argument", name)
	},
})

// fileFunction is file("path"): the file's text without the line break at its
// end. Relative paths are relative to the configuration file.
func fileFunction(dir string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := readSmall(absolute(dir, args[0].AsString()))
			var cause *fs.PathError
			if errors.As(err, &cause) {
				err = cause.Err
			}
			if err != nil {
				return cty.NilVal, fmt.Errorf("%s: %w", args[0].AsString(), err)
			}
			return cty.StringVal(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")), nil
		},
	})
}

func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxFile {
		return "", fmt.Errorf("larger than %d KiB", maxFile>>10)
	}
	return string(text), nil
}
