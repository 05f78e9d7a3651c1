package plugins

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// self is the running image: replacing the file on disk changes nothing.
func self() (*executable, error) {
	return &executable{path: "/proc/self/exe", name: os.Args[0]}, nil
}

// sealedCopy copies the bytes into memory that nobody can change any more. It
// is executed as descriptor 3, also by a script's interpreter.
func sealedCopy(source io.Reader, path, base string) (*executable, error) {
	fd, err := unix.MemfdCreate("electd-plugin", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // a kernel before 6.3 knows no MFD_EXEC
		fd, err = unix.MemfdCreate("electd-plugin", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil { // forbidden here (vm.memfd_noexec)
		return privateImage(source, path, base)
	}
	f := os.NewFile(uintptr(fd), path)
	e := &executable{path: "/proc/self/fd/3", name: path, file: f}
	_, err = io.Copy(f, source)
	if err == nil {
		err = f.Chmod(0o500)
	}
	if err == nil {
		const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}
