package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// everyCommand calls visit with every command that people can see.
func everyCommand(c *cobra.Command, visit func(*cobra.Command)) {
	if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
		return
	}
	visit(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, visit)
	}
}

// TestHelp: every command explains itself, with an example that it would accept,
// and its help ends with status 0.
func TestHelp(t *testing.T) {
	root := rootCommand(streams{})
	everyCommand(root, func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			args := append(strings.Fields(c.CommandPath())[1:], "--help")
			var out, errs bytes.Buffer
			if code := run(args, os.Stdin, &out, &errs); code != exitOK || errs.Len() > 0 {
				t.Fatalf("%v: status %d, %s", args, code, &errs)
			}
			if c.Short == "" || strings.HasSuffix(c.Short, ".") || !strings.Contains(out.String(), "electd") {
				t.Errorf("no short help, or one that does not fit into a list: %q", c.Short)
			}
			if c.HasSubCommands() {
				return
			}
			if c.Long == "" || c.Example == "" {
				t.Error("no long help, or no example")
			}
			for example := range strings.Lines(c.Example) {
				accepts(t, c, example)
			}
			for line := range strings.Lines(c.Long) {
				if len(line) > 90 {
					t.Errorf("a line of the help is %d characters wide: %s", len(line)-1, line)
				}
			}
		})
	})
}

// accepts fails the test unless an example calls the command with flags and
// arguments that it takes.
func accepts(t *testing.T, c *cobra.Command, example string) {
	t.Helper()
	words := strings.Fields(example)
	if len(words) == 0 {
		return
	}
	path := strings.Fields(c.CommandPath())
	if len(words) < len(path) || strings.Join(words[:len(path)], " ") != c.CommandPath() {
		t.Errorf("example %q does not call %q", example, c.CommandPath())
		return
	}
	fresh, _, err := rootCommand(streams{}).Find(path[1:])
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.ParseFlags(words[len(path):]); err != nil {
		t.Errorf("example %q: %v", example, err)
	} else if err := fresh.ValidateArgs(fresh.Flags().Args()); err != nil {
		t.Errorf("example %q: %v", example, err)
	}
}
