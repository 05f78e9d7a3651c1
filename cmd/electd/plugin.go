package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/plugins"
)

// defaultPluginDir is where plugins are, as plugin_dir has it.
const defaultPluginDir = "/usr/lib/electd/plugins"

func pluginCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use: "plugin", Short: "Look at arbiters and examine those that are plugins",
		Long: "Look at arbiters, built in or plugins, examine and pin them, and put a plugin's new file in the\nold one's place while the daemon runs.",
	}
	group(c)
	c.AddCommand(pluginListCommand(s), pluginInfoCommand(s), pluginSchemaCommand(s), pluginPinCommand(s), pluginVerifyCommand(s), pluginReloadCommand(s))
	return c
}

func pluginDirFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "plugin-dir", defaultPluginDir, "`DIR` with plugins")
}

func pluginListCommand(s streams) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the arbiters that there are",
		Long:    "List the arbiters that are built in and those in the plugin directory.\n\nExit status: 0 listed, 1 the directory cannot be read.",
		Example: "  electd plugin list --plugin-dir ./plugins",
		Args:    exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			for _, d := range builtin.All() {
				fmt.Fprintf(table, "%s\tbuilt in\t%s\n", d.Info().Name, d.Info().Doc)
			}
			names, err := plugins.List(dir)
			for _, name := range names {
				path, _ := plugins.Find(dir, name)
				fmt.Fprintf(table, "%s\tplugin\t%s\n", name, path)
			}
			return errors.Join(table.Flush(), err)
		},
	}
	pluginDirFlag(c, &dir)
	return c
}

// pluginFile returns the name and the file of a plugin that is given by either;
// an empty path stands for a built-in arbiter.
func pluginFile(dir, arg string) (name, path string, err error) {
	if strings.ContainsRune(arg, filepath.Separator) {
		path, err := filepath.Abs(arg)
		return strings.TrimPrefix(filepath.Base(arg), "electd-arbiter-"), path, err
	}
	if builtin.Find(arg) != nil {
		return arg, "", nil
	}
	path, err = plugins.Find(dir, arg)
	return arg, path, err
}

// described says which plugin is described, and how it is started.
type described struct {
	dir, config string
	insecure    bool
}

func describedFlags(c *cobra.Command) *described {
	d := &described{}
	c.Flags().StringVar(&d.dir, "plugin-dir", "", "`DIR` with plugins (default "+defaultPluginDir+")")
	c.Flags().StringVarP(&d.config, "config", "c", "", "configuration `FILE` whose plugin_dir and plugin block say how the plugin is started")
	c.Flags().BoolVar(&d.insecure, "insecure", false, "speak to the plugin without TLS, as insecure = true in its plugin block has it")
	return d
}

// spec says how the plugin that is given by its name or path is started.
func (d *described) spec(s streams, arg string) (plugins.Spec, error) {
	if d.config != "" && d.dir != "" {
		return plugins.Spec{}, status{exitUsage, errors.New("electd: --plugin-dir excludes --config: a configuration has its own plugin_dir")}
	}
	if d.config != "" {
		c, err := ofPlugin(s, d.config, arg)
		if err != nil {
			return plugins.Spec{}, err
		}
		spec, err := agent.Spec(c, hclog.NewNullLogger())
		if err != nil {
			return spec, status{exitFailed, fmt.Errorf("electd: %w", err)}
		}
		spec.Plaintext = spec.Plaintext || d.insecure
		return spec, nil
	}
	name, path, err := pluginFile(cmp.Or(d.dir, defaultPluginDir), arg)
	if err != nil {
		return plugins.Spec{}, status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	spec := plugins.Spec{Name: name, Path: path, Plaintext: d.insecure, Log: hclog.NewNullLogger()}
	if path == "" {
		spec.Self = []string{builtin.Command, name}
	}
	return spec, nil
}

// describe starts a plugin for as long as it takes to ask it what it is.
func (d *described) describe(ctx context.Context, s streams, arg string) (plugins.Info, plugins.Schema, error) {
	spec, err := d.spec(s, arg)
	if err != nil {
		return plugins.Info{}, plugins.Schema{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	host, err := plugins.Launch(ctx, spec)
	if err != nil {
		return plugins.Info{}, plugins.Schema{}, status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	info, schema := host.Info(), host.Schema()
	if err := host.Close(); err != nil {
		return info, schema, status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	return info, schema, nil
}

// ofPlugin loads a configuration for a plugin that is given by its name, which is
// that of the file's arbiter, or by its path, which then is in the place of the
// one that the file names.
func ofPlugin(s streams, file, arg string) (*config.Config, error) {
	c, err := load(s, file)
	if err != nil {
		return nil, err
	}
	if !strings.ContainsRune(arg, filepath.Separator) {
		if arg != c.Arbiter.Name {
			return nil, status{exitUsage, fmt.Errorf("electd: the arbiter of %s is %q, not %q", file, c.Arbiter.Name, arg)}
		}
		return c, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return nil, status{exitFailed, fmt.Errorf("electd: %w", err)}
	}
	started := config.Plugin{Path: path} // the pin is not its own
	if p := c.Arbiter.Plugin; p != nil {
		started.Env, started.Insecure = p.Env, p.Insecure
	}
	c.Arbiter.Plugin = &started
	return c, nil
}

func pluginInfoCommand(s streams) *cobra.Command {
	var d *described
	var asJSON bool
	c := &cobra.Command{
		Use:     "info NAME|PATH",
		Short:   "Start a plugin and show what it says of itself",
		Long:    "Start a plugin, built in or not, and show what it says of itself.\n\nExit status: 0 shown, 1 it cannot be started, 3 wrong configuration.",
		Example: "  electd plugin info s3\n  electd plugin info ./electd-arbiter-acme\n  electd plugin info acme --config /etc/electd/electd.hcl",
		Args:    exactly(1, "the name or path of one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, schema, err := d.describe(cmd.Context(), s, args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return json.NewEncoder(s.out).Encode(map[string]string{"name": info.Name, "version": info.Version, "doc": info.Doc, "sdk": info.SDK})
			}
			_, err = fmt.Fprintf(s.out, "name        %s\nversion     %s\n            %s\nbuilt with  %s\nattributes  %d\n", info.Name, info.Version, info.Doc, info.SDK, len(schema.Attributes))
			return err
		},
	}
	d = describedFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func pluginSchemaCommand(s streams) *cobra.Command {
	var d *described
	var asJSON bool
	c := &cobra.Command{
		Use:     "schema NAME|PATH",
		Short:   "List the attributes that an arbiter takes",
		Long:    "Start a plugin, built in or not, and list the attributes of its arbiter block.\n\nExit status: 0 shown, 1 it cannot be started, 3 wrong configuration.",
		Example: "  electd plugin schema s3\n  electd plugin schema ./electd-arbiter-acme --json",
		Args:    exactly(1, "the name or path of one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, schema, err := d.describe(cmd.Context(), s, args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return json.NewEncoder(s.out).Encode(attributesOf(schema))
			}
			table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			listAttributes(table, schema, "")
			return table.Flush()
		},
	}
	d = describedFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func listAttributes(out io.Writer, schema plugins.Schema, in string) {
	for _, a := range schema.Attributes {
		note := ""
		switch {
		case a.Required:
			note = "required"
		case a.Default != nil:
			note = fmt.Sprintf("default %v", a.Default)
		}
		if a.Sensitive {
			note = strings.TrimPrefix(note+", secret", ", ")
		}
		fmt.Fprintf(out, "%s%s\t%s\t%s\t%s\n", in, a.Name, a.Type, note, a.Doc)
		if a.Block != nil {
			listAttributes(out, *a.Block, in+a.Name+".")
		}
	}
}

// attributeJSON is an attribute as JSON.
type attributeJSON struct {
	Name      string          `json:"name"`
	Type      string          `json:"type"`
	Required  bool            `json:"required"`
	Default   string          `json:"default,omitempty"`
	Sensitive bool            `json:"sensitive"`
	Doc       string          `json:"doc"`
	Block     []attributeJSON `json:"block,omitempty"`
}

func attributesOf(schema plugins.Schema) []attributeJSON {
	out := []attributeJSON{}
	for _, a := range schema.Attributes {
		j := attributeJSON{Name: a.Name, Type: a.Type.String(), Required: a.Required, Sensitive: a.Sensitive, Doc: a.Doc}
		if a.Default != nil {
			j.Default = fmt.Sprint(a.Default)
		}
		if a.Block != nil {
			j.Block = attributesOf(*a.Block)
		}
		out = append(out, j)
	}
	return out
}
