package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ledger is what is to be protected: a file, one entry a line. It refuses an entry
// of an older epoch than the newest it has, as every resource behind an election
// should: the epoch is its fencing token.
type ledger struct{ path string }

var errDeposed = errors.New("the ledger has an entry of a newer epoch")

func (l ledger) write(epoch uint64, name string) error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	// The check and the write are one step, for all processes.
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	newest := uint64(0)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if _, err := fmt.Sscan(lines.Text(), &newest); err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
	}
	if epoch < newest {
		return fmt.Errorf("%w: %d, and this one is %d", errDeposed, newest, epoch)
	}
	_, err = fmt.Fprintln(file, epoch, name)
	return err
}
