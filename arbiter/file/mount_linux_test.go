package file

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/core"
)

// mount puts a file system at a new directory for the length of the test. It
// takes the right to mount.
func mount(t *testing.T, kind, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("electd-test", dir, kind, 0, options); err != nil {
		if errors.Is(err, unix.EPERM) {
			t.Skipf("SKIPPED: mounting %s needs root: %v", kind, err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestAFullDiskLeavesTheRecord(t *testing.T) {
	a := open(t, mount(t, "tmpfs", "size=64k"))
	v := mustSwap(t, a, "", "one")
	filler := filepath.Join(a.dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 128<<10), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: v, Record: []byte("two")})
	if core.WriteOutcome(err) != core.Unavailable || !strings.Contains(err.Error(), "make room") {
		t.Errorf("got %v", err)
	}
	if s := mustRead(t, a); string(s.Record) != "one" {
		t.Errorf("%q is stored", s.Record)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	mustSwap(t, a, v, "two")
}

func TestProbeWarnsOfADirectoryInMemory(t *testing.T) {
	report, err := open(t, mount(t, "tmpfs", "size=4m")).Probe(t.Context(), "probe")
	if err != nil || report.Worst() != core.Warned {
		t.Errorf("got %v, %+v", err, report.Findings)
	}
	for _, f := range report.Findings {
		if f.Check == "file-system" && !strings.Contains(f.Why, "takes the highest epoch with it") {
			t.Errorf("why: %s", f.Why)
		}
	}
}

func TestAReadOnlyDiskIsNamed(t *testing.T) {
	a := open(t, mount(t, "tmpfs", "size=64k"))
	v := mustSwap(t, a, "", "one")
	if err := unix.Mount("", a.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: v, Record: []byte("two")})
	if core.WriteOutcome(err) != core.Invalid || !strings.Contains(err.Error(), "for writing") {
		t.Errorf("got %v", err)
	}
	if s := mustRead(t, a); string(s.Record) != "one" {
		t.Errorf("%q is stored", s.Record)
	}
}

func TestANetworkFileSystemIsRefused(t *testing.T) {
	dir := mountFUSE(t)
	for _, place := range []string{dir, filepath.Join(dir, "missing", "below")} {
		_, err := New(t.Context(), Config{Dir: place})
		var attribute *core.AttributeError
		if !errors.As(err, &attribute) || attribute.Attribute != "dir" || !strings.Contains(err.Error(), "fuse") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

func TestAFileSystemMountedLaterIsRefused(t *testing.T) {
	late := t.TempDir()
	a := open(t, late)
	over := mountFUSE(t)
	if err := unix.Mount(over, late, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(late, unix.MNT_DETACH) }()
	_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
	if core.WriteOutcome(err) != core.Invalid || !strings.Contains(err.Error(), "fuse") {
		t.Errorf("got %v", err)
	}
}

// mountFUSE mounts the smallest real FUSE file system: an empty root that
// answers INIT, GETATTR and STATFS, knows no file and refuses the rest.
func mountFUSE(t *testing.T) string {
	t.Helper()
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("SKIPPED: no FUSE in this kernel: %v", err)
	}
	dir := mount(t, "fuse", "fd="+strconv.Itoa(device)+",rootmode=40000,user_id=0,group_id=0")
	served := make(chan struct{})
	go func() {
		defer close(served)
		serveFUSE(device)
	}()
	t.Cleanup(func() { // before the unmount
		_ = unix.Unmount(dir, unix.MNT_FORCE)
		<-served
		_ = unix.Close(device)
		_ = unix.Mount("electd-test", dir, "tmpfs", 0, "") // for mount's own cleanup
	})
	return dir
}

// serveFUSE answers requests (fuse(4)) until the file system is unmounted.
func serveFUSE(device int) {
	const lookup, getattr, statfs, initialise = 1, 3, 17, 26
	request := make([]byte, 1<<17)
	for {
		n, err := unix.Read(device, request)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n < 40 {
			return
		}
		var body []byte
		status := int32(0)
		switch binary.NativeEndian.Uint32(request[4:]) {
		case initialise:
			body = make([]byte, 64)
			binary.NativeEndian.PutUint32(body[0:], 7)  // protocol
			binary.NativeEndian.PutUint32(body[4:], 31) // and its minor version
			binary.NativeEndian.PutUint32(body[20:], 4096)
		case getattr:
			body = make([]byte, 104)
			binary.NativeEndian.PutUint64(body[16:], 1)                // inode
			binary.NativeEndian.PutUint32(body[16+60:], 0o40000|0o700) // directory
			binary.NativeEndian.PutUint32(body[16+64:], 2)             // links
		case statfs:
			body = make([]byte, 80)
		case lookup:
			status = -int32(unix.ENOENT)
		default:
			status = -int32(unix.ENOSYS)
		}
		answer := make([]byte, 16, 16+len(body))
		binary.NativeEndian.PutUint32(answer[0:], uint32(16+len(body)))
		binary.NativeEndian.PutUint32(answer[4:], uint32(status))
		copy(answer[8:16], request[8:16]) // the request's number
		_, _ = unix.Write(device, append(answer, body...))
	}
}
