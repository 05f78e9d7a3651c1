package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/plugins"
)

func pluginPinCommand(s streams) *cobra.Command {
	var file, dir string
	var printed bool
	c := &cobra.Command{
		Use:   "pin [NAME|PATH]",
		Short: "Write a plugin's SHA-256 into the configuration",
		Long: `Write the SHA-256 of the plugin's file into the plugin block of the configuration's
arbiter, and keep everything else of the file as it is. A plugin whose file has another
sum is not started. Without an argument it is the plugin that the configuration names;
with a path, that is written as well. A file that electd would not start is not pinned,
and what stands there as a sum is replaced whatever it is. A daemon that runs takes it
over with electd plugin reload.

Exit status: 0 it is written or was there already, 1 a file cannot be read or written
or would not be started, 2 the arbiter is built in or not the one given, 3 wrong
configuration.`,
		Example: "  electd plugin pin --config /etc/electd/electd.hcl\n  electd plugin pin ./electd-arbiter-acme\n  electd plugin pin ./electd-arbiter-acme --print",
		Args:    atMost(1, "the name or path of one plugin"),
		RunE: func(_ *cobra.Command, args []string) error {
			arg := strings.Join(args, "")
			if printed {
				return printPin(s, dir, arg)
			}
			c, diags := config.LoadToPin(file)
			if diags.Len() > 0 {
				diags.Write(s.err, 0, false)
			}
			if diags.HasErrors() {
				return status{code: exitConfig}
			}
			return pin(s, file, c, arg)
		},
	}
	configFlag(c, &file)
	c.Flags().BoolVar(&printed, "print", false, "print the block and leave the configuration alone")
	c.Flags().StringVar(&dir, "plugin-dir", defaultPluginDir, "`DIR` with plugins, for --print; else the configuration has its own")
	return c
}

// printPin prints the plugin block for a plugin that is given by name or path.
func printPin(s streams, dir, arg string) error {
	if arg == "" {
		return status{exitUsage, errors.New("electd: give the name or path of a plugin with --print")}
	}
	name, path, err := pluginFile(dir, arg)
	if err != nil {
		return status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	if path == "" {
		return builtIn(name)
	}
	sum, err := plugins.Pin(path)
	if err != nil {
		return status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	_, err = fmt.Fprintf(s.out, "plugin {\n  path   = %q\n  sha256 = %q\n}\n", path, sum)
	return err
}

func builtIn(name string) error {
	return status{exitUsage, fmt.Errorf("electd: %s is built in: electd runs as its process, there is no file to pin", name)}
}

// pin writes the sum of a plugin into the configuration's file, and the plugin's
// place if that is given and another one.
func pin(s streams, file string, c *config.Config, arg string) error {
	wanted := config.Pin{}
	if strings.ContainsRune(arg, filepath.Separator) {
		path, err := filepath.Abs(arg)
		if err != nil {
			return status{exitFailed, fmt.Errorf("electd: %w", err)}
		}
		wanted.Path = path
	} else if arg != "" && arg != c.Arbiter.Name {
		return status{exitUsage, fmt.Errorf("electd: the arbiter of %s is %q, not %q", file, c.Arbiter.Name, arg)}
	}
	path := wanted.Path
	if spec, err := agent.Spec(c, nil); path == "" || err == nil && spec.Path == path {
		if err != nil {
			return status{exitFailed, fmt.Errorf("electd: %w", err)}
		}
		path, wanted.Path = spec.Path, "" // it is found as it is
	}
	if path == "" {
		return builtIn(c.Arbiter.Name)
	}
	var err error
	if wanted.SHA256, err = plugins.Pin(path); err != nil {
		return status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	done, err := config.WritePin(file, wanted)
	if err != nil {
		return status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	switch at := fmt.Sprintf("%s:%d: sha256", file, done.Line); {
	case !done.Changed:
		_, err = fmt.Fprintf(s.out, "%s is that of %s already: nothing is changed\n", at, path)
	case done.Before == wanted.SHA256:
		_, err = fmt.Fprintf(s.out, "%s stays, and path is now %s\n", at, path)
	case done.Before == "":
		_, err = fmt.Fprintf(s.out, "%s is now %s, that of %s\n", at, wanted.SHA256, path)
	default:
		_, err = fmt.Fprintf(s.out, "%s is now %s, that of %s, and was %s\n", at, wanted.SHA256, path, done.Before)
	}
	return err
}
