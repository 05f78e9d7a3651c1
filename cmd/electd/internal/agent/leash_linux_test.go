package agent

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
)

// device is a pipe in a watchdog device's place.
type device struct {
	path string

	mu   sync.Mutex
	text []byte // as written: 0 for a pet, 'V' before it is disarmed
	last boottime.Instant
}

func newDevice(t *testing.T) *device {
	t.Helper()
	d := &device{path: filepath.Join(t.TempDir(), "watchdog")}
	if err := unix.Mkfifo(d.path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(d.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for buffer := make([]byte, 64); ; {
			n, err := f.Read(buffer)
			if err != nil {
				return
			}
			d.mu.Lock()
			d.text = append(d.text, buffer[:n]...)
			d.last = boottime.Now()
			d.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		f.SetReadDeadline(time.Now())
		f.Close()
		<-read
	})
	return d
}

// armed reports whether the machine would be reset if nobody wrote any more.
func (d *device) armed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.text) > 0 && d.text[len(d.text)-1] != 'V'
}

func (d *device) lastWrite() boottime.Instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

func leashTo(t *testing.T, d *device, exit func(error)) (*leash, *buffer) {
	t.Helper()
	log := &buffer{}
	h := hardware.Config{
		Device: d.path, Mode: hardware.Required, Timeout: time.Second, StandIn: true, OnOverrun: hardware.Exit,
		Lease: 3 * time.Second, Interval: 500 * time.Millisecond,
	}
	l, err := newLeash(h, exit, log.logger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l, log
}

func within(t *testing.T, d time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(d); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", d, what)
		}
	}
}

// The device is armed while anything of any election is active, and petted only
// as long as the shortest authority allows.
func TestLeashGoesByTheShortestAuthority(t *testing.T) {
	d := newDevice(t)
	l, _ := leashTo(t, d, func(error) {})
	orders, letters := &service{}, &service{}
	l.tie(orders, boottime.In(time.Hour))
	if err := l.arm(t.Context()); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, "armed", d.armed)
	short := boottime.In(2500 * time.Millisecond)
	l.tie(letters, short)
	if err := l.arm(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.extend(orders, boottime.In(2*time.Hour))
	time.Sleep(time.Until(time.Now().Add(short.Left())))
	if last := d.lastWrite(); last.Add(time.Second) > short.Add(500*time.Millisecond) { // the pipe's reader may see a pet late
		t.Errorf("petted so that the reset would come %s after the shorter authority's end", last.Add(time.Second).Sub(short))
	}
	if !d.armed() {
		t.Error("disarmed while two elections are active")
	}
	l.fence(letters, short)
	l.free(letters)
	before := d.lastWrite()
	within(t, 10*time.Second, "petted for the election that is left", func() bool { return d.lastWrite() > before })
	if !d.armed() {
		t.Error("disarmed while one election is active")
	}
	l.fence(orders, boottime.In(time.Hour))
	l.free(orders)
	within(t, 10*time.Second, "disarmed", func() bool { return !d.armed() })
}

// A fence that is not over in time is told once, and ends the daemon where the
// user chose that; also one that begins too late, after a freeze.
func TestLeashTellsOfAnOverrun(t *testing.T) {
	for name, by := range map[string]time.Duration{"in time": 300 * time.Millisecond, "too late": -time.Second} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			exits := make(chan error, 8)
			l, log := leashTo(t, d, func(err error) { exits <- err })
			orders, letters := &service{}, &service{}
			for _, s := range []*service{orders, letters} {
				l.tie(s, boottime.In(time.Hour))
				if err := l.arm(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			at := boottime.In(by)
			l.fence(orders, at)
			select {
			case err := <-exits:
				if err != ErrOverrun {
					t.Errorf("it ends because %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the overrun has no consequence")
			}
			l.fence(orders, at) // asked again, as the core does
			l.extend(letters, boottime.In(2*time.Hour))
			l.free(orders)
			l.fence(letters, boottime.In(time.Hour))
			l.free(letters)
			within(t, 10*time.Second, "disarmed", func() bool { return !d.armed() })
			if n := strings.Count(log.String(), "the fence is not over in time"); n != 1 {
				t.Errorf("told %d times:\n%s", n, log)
			}
		})
	}
}

// After a freeze that one election leads through, another one's fence begins too
// late and is found over: the watchdog process had killed its program in time.
func TestLeashTakesNoFenceForLateThatIsFoundOver(t *testing.T) {
	d := newDevice(t)
	exits := make(chan error, 8)
	l, log := leashTo(t, d, func(err error) { exits <- err })
	orders, letters := &service{}, &service{}
	for _, s := range []*service{orders, letters} {
		l.tie(s, boottime.In(time.Hour))
		if err := l.arm(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.fence(orders, boottime.In(-time.Second))
	time.Sleep(50 * time.Millisecond)
	l.free(orders)
	l.extend(letters, boottime.In(2*time.Hour))
	select {
	case err := <-exits:
		t.Errorf("it ends because %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	if strings.Contains(log.String(), "the fence is not over in time") {
		t.Errorf("taken for an overrun:\n%s", log)
	}
	if !d.armed() {
		t.Error("disarmed while an election is active")
	}
}
