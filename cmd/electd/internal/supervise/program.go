// Package supervise runs the service that an election protects (design 8.3): a
// program that runs only while this node leads. Each copy runs under a watchdog
// process of its own, which kills it at the end of the authority whatever
// becomes of electd. It knows nothing of elections but a name and an epoch.
package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/environ"
	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// Program says what to supervise. It is a value: a Run is one run of it.
type Program struct {
	Election  string
	Node      string
	API       string // for ELECTD_API: where the program reaches electd
	TokenFile string // for ELECTD_TOKEN_FILE

	Command []string          // program and arguments, no shell; without a slash it is looked up in $PATH
	Dir     string            // working folder; empty: electd's
	Env     map[string]string // added to electd's environment; not names that begin with ELECTD_

	Lock     string        // path of the election's lock file, in the data directory
	LockWait time.Duration // how long a start waits for an earlier run to be gone. Default 10 s

	StopSignal  syscall.Signal // asks the program's group to stop. Default SIGTERM
	StopTimeout time.Duration  // from StopSignal to SIGKILL. 0: SIGKILL at once
	// KillAllowance is how long before the end of the authority the deadline is. A
	// watchdog that has killed nobody by that end is killed itself, by the kernel,
	// and the program's group with it (Linux); not sooner than 50 ms after the
	// deadline, since one that is only late reaches more than the kernel does.
	KillAllowance time.Duration
	// Warning is how long before the deadline the watchdog sends StopSignal if
	// electd has neither extended the deadline nor stopped the program: it is
	// frozen then. 0: only SIGKILL, at the deadline. Sensible: StopTimeout, if
	// the fence margin is larger.
	Warning time.Duration
	Restart Restart

	// Stdin, Stdout and Stderr are the program's. A nil Stdin is the null
	// device; a nil Stdout or Stderr is thrown away. An *os.File is handed to the
	// program itself; to anything else electd copies. A *logline.Writer logs it,
	// a line an entry.
	Stdin          *os.File
	Stdout, Stderr io.Writer
	// Foreground hands the terminal on Stdin to the program, if electd has it.
	Foreground bool

	Log hclog.Logger // nil: none

	// Watchdog is the command line of a process that calls watchdog.Main.
	// Default: this very program with the argument "watchdog".
	Watchdog []string
	// NoCgroup makes no control group even where it is possible.
	NoCgroup bool
}

// Check says what is wrong with a Program.
func (p Program) Check() error {
	var errs []error
	if len(p.Command) == 0 || p.Command[0] == "" {
		errs = append(errs, errors.New("no command is given"))
	}
	if p.Lock == "" {
		errs = append(errs, errors.New("no lock file is given"))
	}
	if p.StopTimeout < 0 {
		errs = append(errs, fmt.Errorf("the stop timeout %s is negative", p.StopTimeout))
	}
	return errors.Join(append(errs, environ.Check(p.Env), p.Restart.check())...)
}

func (p Program) withDefaults() Program {
	defaultTo(&p.LockWait, 10*time.Second)
	defaultTo(&p.StopSignal, syscall.SIGTERM)
	p.KillAllowance = max(p.KillAllowance, leastAllowance)
	p.Restart = p.Restart.withDefaults()
	if p.Log == nil {
		p.Log = hclog.NewNullLogger()
	}
	if len(p.Watchdog) == 0 {
		p.Watchdog = []string{self(), "watchdog"}
	}
	return p
}

// self is the running image, so that replacing the file on disk changes nothing.
func self() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// leastAllowance is how late a watchdog may always be.
const leastAllowance = 50 * time.Millisecond

func (p Program) spec(epoch uint64) watchdog.Spec {
	return watchdog.Spec{
		Election: p.Election,
		Epoch:    epoch,
		Command:  p.Command,
		Dir:      p.Dir,
		Env: environ.Build(p.Env,
			"ELECTD_ELECTION="+p.Election,
			"ELECTD_NODE="+p.Node,
			"ELECTD_EPOCH="+strconv.FormatUint(epoch, 10),
			"ELECTD_API="+p.API,
			"ELECTD_TOKEN_FILE="+p.TokenFile,
		),
		Lock:        p.Lock,
		LockWait:    p.LockWait,
		Warning:     p.Warning,
		StopSignal:  p.StopSignal,
		StopTimeout: p.StopTimeout,
		Allowance:   p.KillAllowance,
		Foreground:  p.Foreground,
		NoCgroup:    p.NoCgroup,
	}
}

// LockFree says whether nobody holds the lock at path, which proves that the
// program it was held for is dead, with every process it started. An error
// means that it is not known.
func LockFree(path string) (bool, error) { return lockfile.Free(path) }

// Now is the clock of deadlines: CLOCK_BOOTTIME in nanoseconds.
func Now() boottime.Instant { return boottime.Now() }
