package watchdog

import "golang.org/x/sys/unix"

// Stopped says whether a signal has stopped the watchdog process and none has
// continued it since. It takes nothing away from whoever waits for its end.
func (p *Process) Stopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.PID(), &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0 // an error: it is gone
}
