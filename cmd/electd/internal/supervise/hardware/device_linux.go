package hardware

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// device is an opened watchdog device. Open, it counts: the machine is reset one
// timeout after the last pet.
type device struct {
	file    *os.File
	timeout time.Duration // that the device has granted
}

// magicClose is the option bit of a device that can be disarmed.
const magicClose = 0x0100

// openDevice arms the device. It refuses one that could not be disarmed, or that
// has not the timeout asked for.
func openDevice(path string, timeout time.Duration, standIn bool) (*device, error) {
	if !standIn {
		if err := stoppable(path); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	d := &device{file: f, timeout: timeout}
	if standIn {
		return d, nil
	}
	if err := d.setUp(); err != nil {
		return nil, errors.Join(err, d.disarm())
	}
	return d, nil
}

// stoppable refuses what is no device, before it is opened, and one that goes on
// counting once it was.
func stoppable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return fmt.Errorf("%s is not a watchdog device", path)
	}
	name := filepath.Base(path)
	if name == "watchdog" {
		name = "watchdog0" // its other name
	}
	body, err := os.ReadFile(filepath.Join("/sys/class/watchdog", name, "nowayout"))
	if err == nil && strings.TrimSpace(string(body)) == "1" {
		return fmt.Errorf("%s cannot be stopped once it is opened (nowayout), so it would reset followers too", path)
	}
	return nil
}

func (d *device) setUp() error {
	fd := int(d.file.Fd())
	var info unix.WatchdogInfo
	if err := ioctl(fd, unix.WDIOC_GETSUPPORT, unsafe.Pointer(&info)); err != nil {
		return fmt.Errorf("%s is not a watchdog device: %w", d.file.Name(), err)
	}
	if info.Options&magicClose == 0 {
		return fmt.Errorf("%s cannot be disarmed, so it would reset followers too", d.file.Name())
	}
	seconds := int32(d.timeout / time.Second)
	if err := ioctl(fd, unix.WDIOC_SETTIMEOUT, unsafe.Pointer(&seconds)); err != nil {
		return fmt.Errorf("%s does not take a timeout of %s: %w", d.file.Name(), d.timeout, err)
	}
	if granted := time.Duration(seconds) * time.Second; granted != d.timeout {
		return fmt.Errorf("%s grants a timeout of %s instead of %s", d.file.Name(), granted, d.timeout)
	}
	return nil
}

func ioctl(fd int, request uintptr, value unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(value)); errno != 0 {
		return errno
	}
	return nil
}

// pet starts the device's count anew. Any byte but 'V' does.
func (d *device) pet() error {
	_, err := d.file.Write([]byte{0})
	return err
}

// disarm stops the device: closed after a 'V' it does not count on.
func (d *device) disarm() error {
	_, err := d.file.Write([]byte{'V'})
	return errors.Join(err, d.file.Close())
}
