package wire

import (
	"slices"
	"sync"
)

// maxStreams is how many connections of one peer are served at most. It needs
// one; a second comes from redialling, more from a second machine that has the
// same certificate.
const maxStreams = 4

// inbound is the set of connections from one peer, the one heard last at the end.
type inbound struct {
	mu      sync.Mutex
	streams []*served
}

// served is one stream that the peer opened.
type served struct {
	box     *outbox
	session string // of the peer, as its messages say; inbound's lock guards it
	cancel  func()
}

func (in *inbound) add(s *served) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.streams) >= maxStreams {
		in.streams[0].cancel()
		in.streams = slices.Delete(in.streams, 0, 1)
	}
	in.streams = append(in.streams, s)
}

func (in *inbound) remove(s *served) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if i := slices.Index(in.streams, s); i >= 0 {
		in.streams = slices.Delete(in.streams, i, i+1)
	}
}

// heard notes that something came on s, and the session it came from.
func (in *inbound) heard(s *served, session string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if session != "" {
		s.session = session
	}
	last := len(in.streams) - 1
	if i := slices.Index(in.streams, s); i >= 0 && i < last {
		in.streams = append(slices.Delete(in.streams, i, i+1), s)
	}
}

// towards returns the way back to a session of the peer: the connection that
// its messages came on, else the one heard last, nil if there is none.
func (in *inbound) towards(session string) *outbox {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i := len(in.streams) - 1; i >= 0; i-- {
		if in.streams[i].session == session {
			return in.streams[i].box
		}
	}
	if len(in.streams) == 0 {
		return nil
	}
	return in.streams[len(in.streams)-1].box
}
