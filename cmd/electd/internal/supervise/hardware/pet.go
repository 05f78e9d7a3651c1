package hardware

import (
	"fmt"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// main is the goroutine that has the device.
func (d *Dog) main() {
	defer close(d.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(d.look())
		select {
		case <-d.wake:
		case <-timer.C:
		case answer := <-d.arm:
			answer <- d.open()
		case <-d.quit:
			d.close()
			return
		}
	}
}

// look does what is due and returns how long nothing will be.
func (d *Dog) look() time.Duration {
	now := boottime.Now()
	d.mu.Lock()
	if d.fenceBy != 0 && now >= d.fenceBy {
		d.late = d.late.or(d.fenceBy, d.told, now)
		d.fenceBy = 0 // once
	}
	authority, fenceBy, wanted, late := d.authority, d.fenceBy, d.wanted, d.late
	overrun := late.by != 0 && now >= late.report
	if overrun {
		d.late = lateFence{}
	}
	d.mu.Unlock()

	if overrun && d.config.Late() {
		d.overrun(now.Sub(late.by))
	}
	if !wanted {
		d.close()
	}
	next := now.Add(time.Hour)
	if fenceBy != 0 {
		next = fenceBy
	}
	if late.by != 0 && !overrun {
		next = min(next, late.report)
	}
	if d.device != nil {
		next = min(next, d.pet(now, authority))
	}
	return max(next.Sub(now), 0)
}

// pet pets the device if the reset that this would allow comes before the
// authority ends, and returns when to look again.
func (d *Dog) pet(now, authority boottime.Instant) boottime.Instant {
	last := authority.Add(-d.config.Timeout)
	if now > last {
		return now.Add(time.Hour) // only SetAuthority can change that
	}
	if err := d.device.pet(); err != nil {
		d.config.Log.Error("the hardware watchdog cannot be petted; it will reset this machine", "device", d.config.Device, "error", err)
	}
	next := min(now.Add(d.config.Timeout/4), last.Add(-slack))
	if next <= now { // inside the slack: no further one
		next = now.Add(time.Hour)
	}
	return next
}

// open arms the device, unless it is armed.
func (d *Dog) open() error {
	if d.device != nil {
		return nil
	}
	d.mu.Lock()
	left := d.authority.Left()
	d.mu.Unlock()
	if left < d.config.Timeout {
		return fmt.Errorf("%s of authority is left, less than the hardware watchdog's timeout of %s", left, d.config.Timeout)
	}
	device, err := openDevice(d.config.Device, d.config.Timeout, d.config.StandIn)
	if err != nil {
		return err
	}
	d.device = device
	d.config.Log.Info("hardware watchdog armed", "device", d.config.Device, "timeout", d.config.Timeout)
	return nil
}

// close disarms the device, if it is armed.
func (d *Dog) close() {
	if d.device == nil {
		return
	}
	if err := d.device.disarm(); err != nil {
		d.config.Log.Error("the hardware watchdog may not be disarmed", "device", d.config.Device, "error", err)
	} else {
		d.config.Log.Info("hardware watchdog disarmed", "device", d.config.Device)
	}
	d.device = nil
}

// overrun does what the user chose, after the log says so.
func (d *Dog) overrun(late time.Duration) {
	action := d.config.OnOverrun
	if action == Reset && d.device == nil {
		d.config.Log.Error("the fence is not over in time, and no hardware watchdog is armed that could reset this machine; killing instead", "late", late)
		action = Kill
	} else {
		d.config.Log.Error("the fence is not over in time", "late", late, "action", string(action), "device_armed", d.device != nil)
	}
	switch action {
	case Kill:
		d.config.Kill()
	case Exit:
		d.config.Kill()
		d.config.Exit()
	case Reset: // the device is armed and will not be petted any more
		d.mu.Lock()
		d.authority = 0
		d.mu.Unlock()
	}
}
