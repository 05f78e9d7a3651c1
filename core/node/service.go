package node

import "github.com/electd/electd/core"

// Service is what an election is for: the thing that is made active on the
// leader. No method may block; done functions are called once, from anywhere.
type Service interface {
	// Promote brings the service up to date and makes it active at epoch.
	Promote(epoch core.Epoch, done func(ok bool))

	// Fence makes the service harmless: it must be over by the instant until,
	// which may have passed already. A promote still running is superseded.
	Fence(epoch core.Epoch, until core.Instant, done func(ok bool))

	// Demote makes the service passive; epoch is the holding that has ended.
	Demote(epoch core.Epoch)

	// Follow tells that another node leads at epoch.
	Follow(epoch core.Epoch, leader string)

	// Extend tells that the authority behind the active service now lasts until
	// that instant. A watchdog kills the service short of it.
	Extend(until core.Instant)
}

// Disk is where the floor is kept.
type Disk interface {
	// SaveFloor returns once epoch is durable as the floor of this election.
	SaveFloor(epoch core.Epoch) error
}

// Bare is the Service of a program that only asks the guard: there is nothing
// to start or to stop.
type Bare struct{}

// Promote does nothing, at once.
func (Bare) Promote(_ core.Epoch, done func(bool)) { done(true) }

// Fence does nothing, at once: the guard is shut already.
func (Bare) Fence(_ core.Epoch, _ core.Instant, done func(bool)) { done(true) }

// Demote does nothing.
func (Bare) Demote(core.Epoch) {}

// Follow does nothing.
func (Bare) Follow(core.Epoch, string) {}

// Extend does nothing.
func (Bare) Extend(core.Instant) {}
