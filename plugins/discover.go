package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// filePrefix begins the name of every plugin's file.
const filePrefix = "electd-arbiter-"

var pluginName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// Find returns the file of the plugin for arbiter "<name>" in the plugin
// directory. $PATH is never searched. An error lists what there is.
func Find(dir, name string) (string, error) {
	if !pluginName.MatchString(name) {
		return "", fmt.Errorf("arbiter %q: a name has lower case letters, digits, - and _ only", name)
	}
	path := filepath.Join(dir, filePrefix+name)
	_, err := os.Stat(path)
	if err == nil {
		return path, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return "", fmt.Errorf("arbiter %q is not built in, and there is no %s; %s", name, path, present(dir))
}

func present(dir string) string {
	names, err := List(dir)
	switch {
	case err != nil:
		return fmt.Sprintf("the plugin directory cannot be read: %v", err)
	case len(names) == 0:
		return "the plugin directory holds no plugin"
	}
	return "the plugin directory holds " + strings.Join(names, ", ")
}

// List returns the names of the plugins in the plugin directory, sorted. A
// directory that does not exist holds none.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), filePrefix); ok && pluginName.MatchString(name) && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
