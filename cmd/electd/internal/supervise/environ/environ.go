// Package environ builds the environment of what electd starts.
package environ

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// reserved begins the names of the variables that electd sets.
const reserved = "ELECTD_"

// private are the variables by which a service manager speaks with electd alone.
var private = []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}

// Build returns electd's own environment, less what is meant for electd, plus
// what the configuration adds and electd sets (NAME=value).
func Build(added map[string]string, set ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, replaced := added[name]
		return replaced || strings.HasPrefix(name, reserved) || slices.Contains(private, name)
	})
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return append(env, set...)
}

// Check says what is wrong with variables that a configuration adds.
func Check(added map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(added)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			errs = append(errs, fmt.Errorf("%q is no name of an environment variable", name))
		case strings.HasPrefix(name, reserved):
			errs = append(errs, fmt.Errorf("the environment variable %s is electd's to set: names that begin with %s are", name, reserved))
		case strings.Contains(added[name], "\x00"):
			errs = append(errs, fmt.Errorf("the value of the environment variable %s contains a zero byte", name))
		}
	}
	return errors.Join(errs...)
}
