package hardware_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// standIn is a pipe in a device's place, and the machine behind it: reset one
// timeout after the last byte, unless that was a 'V' or nobody wrote at all.
type standIn struct {
	path string

	mu      sync.Mutex
	pets    []boottime.Instant
	armed   bool
	resetAt boottime.Instant
	text    []byte
}

const timeout = time.Second

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{path: filepath.Join(t.TempDir(), "watchdog")}
	if err := unix.Mkfifo(s.path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 64); ; {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			s.take(buf[:n])
		}
	}()
	t.Cleanup(func() {
		f.SetReadDeadline(time.Now())
		f.Close()
		<-done
	})
	return s
}

func (s *standIn) take(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := boottime.Now()
	for _, b := range p {
		s.text = append(s.text, b)
		if b == 'V' {
			s.armed = false
			continue
		}
		s.armed, s.resetAt = true, now.Add(timeout)
		s.pets = append(s.pets, now)
	}
}

func (s *standIn) state() (armed bool, resetAt boottime.Instant, pets int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.armed, s.resetAt, len(s.pets)
}

// wasReset says whether two pets lay further apart than the timeout.
func (s *standIn) wasReset() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.pets); i++ {
		if s.pets[i].Sub(s.pets[i-1]) > timeout {
			return true
		}
	}
	return false
}

type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func dog(t *testing.T, change func(*hardware.Config)) (*hardware.Dog, *standIn, *log) {
	t.Helper()
	s, l := newStandIn(t), &log{}
	c := hardware.Config{
		Device: s.path, Mode: hardware.Required, Timeout: timeout, StandIn: true,
		Lease: 3 * time.Second, Interval: 500 * time.Millisecond,
		Log: hclog.New(&hclog.LoggerOptions{Output: l}),
	}
	if change != nil {
		change(&c)
	}
	d, err := hardware.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d, s, l
}

func TestPettedOnlyWhileTheResetComesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	d, s, _ := dog(t, nil)
	defer d.Close()
	if err := d.Arm(t.Context(), boottime.In(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	// Well past the timeout the machine lives, as long as authority is extended.
	var authority boottime.Instant
	for range 6 {
		authority = boottime.In(3 * time.Second)
		d.SetAuthority(authority)
		time.Sleep(250 * time.Millisecond)
	}
	if s.wasReset() {
		t.Error("the machine was reset while all was well")
	}
	// Then nobody extends it any more.
	for boottime.Now() < authority.Add(-timeout/2) {
		time.Sleep(10 * time.Millisecond)
	}
	armed, resetAt, pets := s.state()
	if !armed || resetAt > authority.Add(timeout/2) { // the pipe's reader may see a pet late
		t.Errorf("armed %t, reset %v after the authority", armed, resetAt.Sub(authority))
	}
	if early := authority.Sub(resetAt); early > timeout/2 {
		t.Errorf("the reset comes %v before the authority ends, too soon for a fence", early)
	}
	time.Sleep(200 * time.Millisecond)
	if _, _, later := s.state(); later != pets {
		t.Errorf("petted %d times more after the last instant for it", later-pets)
	}
}

func TestDisarmedWhenTheFenceIsOver(t *testing.T) {
	t.Parallel()
	d, s, log := dog(t, nil)
	defer d.Close()
	if err := d.Arm(t.Context(), boottime.In(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is petted", func() bool { armed, _, pets := s.state(); return armed && pets > 0 })
	d.FenceBegins(boottime.In(20 * time.Second))
	d.FenceOver()
	eventually(t, "it is disarmed", func() bool { armed, _, _ := s.state(); return !armed })
	_, _, pets := s.state()
	d.SetAuthority(boottime.In(10 * time.Second)) // a follower's, say
	time.Sleep(400 * time.Millisecond)
	if armed, _, later := s.state(); armed || later != pets {
		t.Error("a follower's machine is armed")
	}
	if strings.Contains(log.String(), "not over") {
		t.Errorf("an overrun is logged:\n%s", log)
	}
	// And it can lead again.
	if err := d.Arm(t.Context(), boottime.In(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is armed again", func() bool { armed, _, _ := s.state(); return armed })
}

func TestCloseDisarms(t *testing.T) {
	t.Parallel()
	d, s, _ := dog(t, nil)
	if err := d.Arm(t.Context(), boottime.In(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	d.Close()
	eventually(t, "it is disarmed", func() bool { armed, _, pets := s.state(); return !armed && pets > 0 })
}

func TestOverrunIsLoggedBeforeItIsActedOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		action     hardware.Overrun
		device     bool
		kill, exit bool
		words      string
	}{
		{hardware.Kill, true, true, false, "action=kill device_armed=true"},
		{hardware.Exit, true, true, true, "action=exit"},
		{hardware.Reset, true, false, false, "action=reset"},
		{hardware.Kill, false, true, false, "device_armed=false"},
		{hardware.Reset, false, true, false, "no hardware watchdog is armed"},
	} {
		t.Run(string(c.action)+" "+map[bool]string{true: "with", false: "without"}[c.device]+" device", func(t *testing.T) {
			t.Parallel()
			var killed, exited, logged atomic.Bool
			done := make(chan struct{}, 2)
			out := &log{}
			d, s, _ := dog(t, func(g *hardware.Config) {
				g.Log = hclog.New(&hclog.LoggerOptions{Output: out})
				g.OnOverrun = c.action
				if !c.device {
					g.Mode = hardware.Off
				}
				g.Kill = func() {
					logged.Store(strings.Contains(out.String(), c.words))
					killed.Store(true)
					done <- struct{}{}
				}
				g.Exit = func() { exited.Store(true); done <- struct{}{} }
			})
			defer d.Close()
			if err := d.Arm(t.Context(), boottime.In(1500*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			d.FenceBegins(boottime.In(100 * time.Millisecond))
			if c.kill {
				<-done
				if !logged.Load() {
					t.Errorf("acted before the log said %q:\n%s", c.words, out)
				}
			}
			if c.exit {
				<-done
			}
			eventually(t, "the log says so", func() bool { return strings.Contains(out.String(), c.words) })
			time.Sleep(700 * time.Millisecond)
			if killed.Load() != c.kill || exited.Load() != c.exit {
				t.Errorf("killed %t, exited %t", killed.Load(), exited.Load())
			}
			if armed, _, _ := s.state(); armed != c.device {
				t.Errorf("armed %t: what is not over must be reset", armed)
			}
		})
	}
}

func TestWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*hardware.Config)
		want   string
	}{
		{"no device", func(c *hardware.Config) { c.Device, c.StandIn = "/no/such", false }, "/no/such"},
		{"a file", func(c *hardware.Config) { c.Device, c.StandIn = file, false }, "not a watchdog device"},
		{"another device", func(c *hardware.Config) { c.Device, c.StandIn = "/dev/null", false }, "not a watchdog device"},
		{"too long a timeout", func(c *hardware.Config) { c.Timeout = 5 * time.Second }, "5s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, l := newStandIn(t), &log{}
			config := hardware.Config{
				Device: s.path, Timeout: timeout, StandIn: true, Mode: hardware.Required,
				Lease: 3 * time.Second, Interval: 500 * time.Millisecond,
				Log: hclog.New(&hclog.LoggerOptions{Output: l}),
			}
			c.change(&config)
			if d, err := hardware.New(config); err == nil {
				d.Close()
				t.Error("required, and it is taken")
			} else if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q does not name %q", err, c.want)
			}
			config.Mode = hardware.Automatic
			d, err := hardware.New(config)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if d.Usable() || !strings.Contains(l.String(), c.want) {
				t.Errorf("usable %t; the log lacks %q:\n%s", d.Usable(), c.want, l)
			}
			if err := d.Arm(t.Context(), boottime.In(time.Minute)); err != nil {
				t.Errorf("automatic, and it must not lead: %v", err)
			}
		})
	}
}

func TestADeviceThatGoesAwayKeepsARequiredLeaderFromLeading(t *testing.T) {
	t.Parallel()
	d, s, _ := dog(t, nil)
	defer d.Close()
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	if err := d.Arm(t.Context(), boottime.In(3*time.Second)); err == nil {
		t.Error("it may lead")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Arm(ctx, boottime.In(3*time.Second)); err == nil {
		t.Error("it may lead though nobody waited for the answer")
	}
}

func TestBadConfigs(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]hardware.Config{
		`"sometimes"`: {Mode: "sometimes"},
		`"panic"`:     {OnOverrun: "panic"},
		"1.5s":        {Timeout: 1500 * time.Millisecond},
	} {
		if _, err := hardware.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	if err := hardware.Fits(time.Second, 1500*time.Millisecond, 500*time.Millisecond); err != nil {
		t.Error(err)
	}
	if err := hardware.Fits(5*time.Second, 1500*time.Millisecond, 500*time.Millisecond); err == nil {
		t.Error("a timeout of 5 s with a lease of 1.5 s")
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}
