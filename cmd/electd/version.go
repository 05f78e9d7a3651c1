package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core"
)

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print electd's version, the revision it was built from, and the record format it writes.",
		Example: "  electd version",
		Args:    exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			revision := "unknown"
			if build, ok := debug.ReadBuildInfo(); ok {
				for _, setting := range build.Settings {
					if setting.Key == "vcs.revision" {
						revision = setting.Value
					}
				}
			}
			fmt.Fprintf(s.out, "electd %s (revision %s, record format %d, %s %s/%s)\n",
				version, revision, core.Format, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
