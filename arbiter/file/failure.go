package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/electd/electd/core"
)

// classed gives an error of the operating system the code it has while the
// record is still untouched, and says what to do where that is known.
func classed(err error) error {
	code, advice := core.ErrUnavailable, ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.Is(err, fs.ErrPermission):
		code, advice = core.ErrDenied, "; every node must run as a user that may write the directory"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "; make room on the disk"
	case errors.Is(err, syscall.EROFS):
		code, advice = core.ErrInvalid, "; mount the file system for writing, or name another directory"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
		code, advice = core.ErrInvalid, "; the file system cannot do what is needed: name a directory on a local disk"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		code, advice = core.ErrInvalid, "; name another directory"
	}
	return fmt.Errorf("%w: %w%s", code, err, advice)
}

// refusedRename gives the error of a failed rename its code: only an errno that
// the kernel answers before it changes anything says that nothing happened.
func refusedRename(err error) error {
	for _, certain := range []error{
		syscall.EACCES, syscall.EPERM, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS,
		syscall.ENOENT, syscall.ENOTDIR, syscall.EISDIR, syscall.EBUSY, syscall.EXDEV,
	} {
		if errors.Is(err, certain) {
			return classed(err)
		}
	}
	return fmt.Errorf("%w: %w", core.ErrUnknown, err)
}

// errClosed is what every call returns after Close.
var errClosed = fmt.Errorf("%w: the arbiter is closed", core.ErrUnavailable)
