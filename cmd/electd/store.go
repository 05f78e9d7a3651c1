package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/datadir"
)

// store says which arbiter a command looks at: that of a configuration file, or
// one given by flags.
type store struct {
	config, arbiter, pluginDir string
	set                        []string
}

func storeFlags(c *cobra.Command) *store {
	st := &store{}
	configFlag(c, &st.config)
	c.Flags().StringVar(&st.arbiter, "arbiter", "", "arbiter: `NAME` of a built-in one or of a plugin, instead of a configuration file")
	setFlags(c, st)
	return st
}

func setFlags(c *cobra.Command, st *store) {
	c.Flags().StringArrayVar(&st.set, "set", nil, "attribute of the arbiter, `NAME=VALUE`; may be repeated")
	c.Flags().StringVar(&st.pluginDir, "plugin-dir", "", "`DIR` with plugins")
}

// load returns a configuration with the arbiter that the flags name.
func (st *store) load(s streams) (*config.Config, error) {
	if st.arbiter == "" {
		if len(st.set) > 0 || st.pluginDir != "" {
			return nil, status{exitUsage, fmt.Errorf("electd: --set and --plugin-dir belong to --arbiter; a configuration file has its own")}
		}
		return load(s, st.config)
	}
	return st.given(s, st.arbiter, "")
}

// given returns a configuration with the arbiter of that name, whose program is
// the one at path if that is not empty.
func (st *store) given(s streams, name, path string) (*config.Config, error) {
	c, diags := config.FromFlags(config.Flags{
		Arbiter: name, Set: st.set, PluginDir: st.pluginDir,
		Node: datadir.HostName(), DataDir: os.TempDir(), Election: "none", Command: []string{"true"},
	})
	if diags.Len() > 0 {
		diags.Write(s.err, 0, false)
	}
	if diags.HasErrors() {
		return nil, status{code: exitUsage}
	}
	if path != "" {
		c.Arbiter.Plugin = &config.Plugin{Path: path}
	}
	return c, nil
}
