package node_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// witness hears of every guard, on the one clock of the test, and takes down
// what must never be.
type witness struct {
	mu      sync.Mutex
	open    map[string]time.Time  // by node: until when its guard is open if it says nothing new
	session map[core.Epoch]string // who acted at an epoch
	newest  core.Epoch            // that anybody acted at
	wrong   []string
}

func newWitness() *witness {
	return &witness{open: map[string]time.Time{}, session: map[core.Epoch]string{}}
}

// of returns the observer of one session.
func (w *witness) of(name, session string) node.Observer {
	return &testimony{witness: w, name: name, session: session}
}

func (w *witness) verdict() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrong
}

// complain takes down something else that must not be.
func (w *witness) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accuse(format, args...)
}

func (w *witness) accuse(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

type testimony struct {
	node.Unobserved
	witness       *witness
	name, session string
}

// Guarded checks that no other guard is open when this one is.
func (o *testimony) Guarded(now core.Instant, epoch core.Epoch, until core.Instant) {
	w := o.witness
	w.mu.Lock()
	defer w.mu.Unlock()
	at := time.Now()
	left := until.Sub(now)
	if epoch == 0 || left <= 0 {
		delete(w.open, o.name)
		return
	}
	w.open[o.name] = at.Add(left)
	for other, ends := range w.open {
		if other != o.name && ends.After(at) {
			w.accuse("%s acts at epoch %d while %s may for another %s", o.session, epoch, other, ends.Sub(at))
		}
	}
	if s, ok := w.session[epoch]; ok && s != o.session {
		w.accuse("%s and %s both act at epoch %d", s, o.session, epoch)
	}
	w.session[epoch] = o.session
	if epoch < w.newest {
		w.accuse("%s acts at epoch %d after epoch %d", o.session, epoch, w.newest)
	}
	w.newest = max(w.newest, epoch)
}

// Broken takes down a violated invariant.
func (o *testimony) Broken(violation error, dump []byte) {
	w := o.witness
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accuse("%s: %v\n%s", o.session, violation, dump)
}
