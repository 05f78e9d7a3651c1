package command

import "syscall"

func attributes(mortal bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if mortal {
		a.Pdeathsig = syscall.SIGKILL
	}
	return a
}
