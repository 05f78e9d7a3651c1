package config

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/agext/levenshtein"
)

// namePattern is what node ids and elections may be called: they become parts
// of keys, of file names, of certificate names and of metric labels.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// arbiterPattern is what an arbiter may be called: part of its program's name.
var arbiterPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

const nameRule = "A name has 1 to 63 letters, digits, '.', '_' and '-', and begins and ends with a letter or digit: it becomes part of keys, file names and metric labels."

// absolute resolves a path of the configuration against the file's folder.
func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// nearest returns the name most like the given one, empty if none is close.
func nearest(given string, names []string) string {
	best, bestDistance := "", max(2, len(given)/3)+1
	for _, name := range slices.Sorted(slices.Values(names)) {
		if d := levenshtein.Distance(given, name, nil); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}
