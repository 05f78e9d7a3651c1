package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/supervise/command"
	"github.com/electd/electd/cmd/electd/internal/supervise/environ"
	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
)

// Config is what a Runner knows.
type Config struct {
	Election  string
	Node      string
	API       string // for ELECTD_API
	TokenFile string // for ELECTD_TOKEN_FILE
	Hooks     map[Kind]Hook
	Log       hclog.Logger // nil: none
}

// Runner runs one election's hooks.
type Runner struct {
	config Config
	fences logline.Seldom // a fence that fails is asked for again and again

	mu     sync.Mutex
	jobs   []*job        // not yet answered, in order
	idle   chan struct{} // closed when the last job is answered; nil while there is none
	closed bool
}

// job is a request under way. Its context ends when it is overtaken, or when
// the Runner can wait no longer.
type job struct {
	Request
	answer   func(Result)
	after    []*job // whose answers it waits for
	answered chan struct{}
	ctx      context.Context
	end      context.CancelCauseFunc
}

// New returns a Runner, or says what is wrong with its hooks. It has to be
// closed.
func New(c Config) (*Runner, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	return &Runner{config: c}, nil
}

// complete checks the hooks and fills in defaults.
func (c Config) complete() (Config, error) {
	var errs []error
	hooks := map[Kind]Hook{}
	for _, k := range slices.Sorted(maps.Keys(c.Hooks)) {
		h := c.Hooks[k]
		if !slices.Contains([]Kind{Promote, Fence, Demote, Follow}, k) {
			errs = append(errs, fmt.Errorf("there is no hook %q; there are %s, %s, %s and %s", k, Promote, Fence, Demote, Follow))
		}
		errs = append(errs, h.check(k))
		if h.Timeout == 0 {
			h.Timeout = defaultTimeout
		}
		hooks[k] = h
	}
	c.Hooks = hooks
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	return c, errors.Join(errs...)
}

// Replace makes c what the Runner goes by from now on; a hook that runs is left
// to its end. If something is wrong with c nothing changes.
func (r *Runner) Replace(c Config) error {
	c, err := c.complete()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.config = c
	return nil
}

// now returns what the Runner goes by at present.
func (r *Runner) now() Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config
}

// Submit asks for a hook. It returns at once; answer is called exactly once, by
// a goroutine of the Runner. Hooks run in the order of the requests, each when
// those before it are answered; only a fence does not wait for a demote. A
// request that is overtaken before its turn is answered at once. A kind without a
// hook is Done in its turn.
func (r *Runner) Submit(q Request, answer func(Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, end := context.WithCancelCause(context.Background())
	if r.closed {
		end(errClosed)
	}
	j := &job{Request: q, answer: answer, answered: make(chan struct{}), ctx: ctx, end: end}
	for _, older := range r.jobs {
		if older.Kind.overtaken(q.Kind) {
			older.end(errOvertaken)
		}
		if q.Kind.waitsFor(older.Kind) {
			j.after = append(j.after, older)
		}
	}
	r.jobs = append(r.jobs, j)
	if r.idle == nil {
		r.idle = make(chan struct{})
	}
	go r.work(j)
}

// Close lets what was asked for come to its end, and returns when all is
// answered. When ctx ends, what is left is killed and answered Closed, and so is
// everything asked for after Close.
func (r *Runner) Close(ctx context.Context) {
	r.mu.Lock()
	r.closed = true
	idle := r.idle
	r.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
		return
	case <-ctx.Done():
	}
	r.mu.Lock()
	for _, j := range r.jobs {
		j.end(errClosed)
	}
	r.mu.Unlock()
	<-idle
}

// work answers one request in its turn.
func (r *Runner) work(j *job) {
	j.await()
	j.answer(r.run(j))
	j.end(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	close(j.answered)
	r.jobs = slices.DeleteFunc(r.jobs, func(other *job) bool { return other == j })
	if len(r.jobs) == 0 {
		close(r.idle)
		r.idle = nil
	}
}

// await waits for the job's turn, or until it is pointless.
func (j *job) await() {
	for _, older := range j.after {
		select {
		case <-older.answered:
		case <-j.ctx.Done():
			return
		}
	}
}

// run runs the hook of one job.
func (r *Runner) run(j *job) Result {
	config := r.now()
	hook, ok := config.Hooks[j.Kind]
	if !ok {
		if cause := context.Cause(j.ctx); cause != nil {
			return Result{Outcome: outcomeOf(cause), Err: fmt.Errorf("hook %q: %w", j.Kind, cause)}
		}
		return Result{Outcome: Done}
	}
	log := config.Log.With("hook", string(j.Kind), "epoch", j.Epoch)
	output := &logline.Writer{Emit: func(line string) { log.Info(line) }}
	ctx, cancel := context.WithTimeoutCause(j.ctx, hook.Timeout, errTimedOut)
	defer cancel()
	log.Debug("hook begins", "reason", j.Reason)
	begin := time.Now()
	err := command.Run(ctx, command.Command{
		Args:   hook.Command,
		Dir:    hook.Dir,
		Env:    environ.Build(hook.Env, append(config.environment(), j.environment()...)...),
		Output: output,
		Mortal: j.Kind == Promote, // nobody may go on becoming active when electd is dead
	})
	output.Close()
	result := resultOf(j.Kind, hook, time.Since(begin), err)
	switch result.Outcome {
	case Done:
		if j.Kind == Fence {
			r.fences.Over()
		}
		log.Debug("hook is over", "took", result.Took)
	case Overtaken:
		log.Info("hook ended for a newer role", "took", result.Took)
	default:
		if j.Kind == Fence && !r.fences.Due(fmt.Sprint(j.Epoch, result.Outcome)) {
			log.Debug("hook failed again", "error", result.Err, "took", result.Took)
			break
		}
		log.Error("hook failed", "error", result.Err, "took", result.Took)
	}
	return result
}

func (c Config) environment() []string {
	return []string{
		"ELECTD_ELECTION=" + c.Election,
		"ELECTD_NODE=" + c.Node,
		"ELECTD_API=" + c.API,
		"ELECTD_TOKEN_FILE=" + c.TokenFile,
	}
}
