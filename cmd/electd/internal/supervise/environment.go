package supervise

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// reserved begins the names of the variables that electd sets.
const reserved = "ELECTD_"

// environment is electd's own, less what is meant for electd, plus what the
// configuration and the election add.
func (p Program) environment(epoch uint64) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, replaced := p.Env[name]
		return replaced || strings.HasPrefix(name, reserved)
	})
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		env = append(env, name+"="+p.Env[name])
	}
	return append(env,
		"ELECTD_ELECTION="+p.Election,
		"ELECTD_NODE="+p.Node,
		"ELECTD_EPOCH="+strconv.FormatUint(epoch, 10),
		"ELECTD_API="+p.API,
		"ELECTD_TOKEN_FILE="+p.TokenFile,
	)
}
