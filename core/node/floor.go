package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// saveWithin is how long the floor may take to be saved. A disk that does not
// answer for that long is as good as one that fails: somebody else may lead.
const saveWithin = 10 * time.Second

// parting is how long a save under way is waited for when the election stops.
const parting = time.Second

var errDiskHangs = errors.New("the disk does not answer")

// floors saves the floor, one save at a time: of a disk that hangs nothing more is
// asked, and of one that is only slow the save under way still counts.
type floors struct {
	disk Disk

	mu     sync.Mutex
	newest *saving
}

// saving is one save, under way or over.
type saving struct {
	epoch core.Epoch
	over  chan struct{} // closed when err is known
	err   error
}

// save returns nil once epoch is on disk, and an error if that failed or took too
// long. It may be on disk even so.
func (f *floors) save(ctx context.Context, epoch core.Epoch) error {
	s := f.start(epoch)
	slow := time.NewTimer(saveWithin)
	defer slow.Stop()
	select {
	case <-s.over:
		return s.err
	case <-slow.C:
		return errDiskHangs
	case <-ctx.Done():
	}
	leaving := time.NewTimer(parting)
	defer leaving.Stop()
	select {
	case <-s.over:
		return s.err
	case <-leaving.C:
		return errDiskHangs
	}
}

// start returns the save under way if it is of that epoch or a higher one, else a
// new one that begins when that is over.
func (f *floors) start(epoch core.Epoch) *saving {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.newest
	if before != nil && before.epoch >= epoch && before.running() {
		return before
	}
	s := &saving{epoch: epoch, over: make(chan struct{})}
	f.newest = s
	go func() {
		defer close(s.over)
		if before != nil {
			<-before.over
		}
		s.err = f.disk.SaveFloor(epoch)
	}()
	return s
}

func (s *saving) running() bool {
	select {
	case <-s.over:
		return false
	default:
		return true
	}
}
