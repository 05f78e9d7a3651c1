package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/electd/electd/client"
)

const eventStream = "text/event-stream"

// events streams transitions as server-sent events, after the one that the
// request names. An event's id is "<session of the daemon>.<number>", so that one
// from before a restart is told apart.
func (h *handlers) events(w http.ResponseWriter, r *http.Request) {
	wanted := r.URL.Query()["election"]
	for _, name := range wanted {
		if _, ok := h.source.Election(name); !ok {
			fail(w, http.StatusNotFound, fmt.Errorf("there is no election %q on this node", name))
			return
		}
	}
	if r.Method == http.MethodHead { // nothing can be streamed to it, and it would never end
		w.Header().Set("Content-Type", eventStream)
		return
	}
	if !h.server.streams.enter() {
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable, fmt.Errorf("%d event streams are open already", maxStreams))
		return
	}
	defer h.server.streams.leave()
	s := &stream{
		w: w, control: http.NewResponseController(w), source: h.source, session: h.session,
		wanted: func(election string) bool { return len(wanted) == 0 || slices.Contains(wanted, election) },
	}
	w.Header().Set("Content-Type", eventStream)
	w.Header().Set("X-Accel-Buffering", "no") // proxies must pass on every event at once
	after := r.URL.Query().Get("after")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		after = last // a browser that reconnects asks for the same URL again
	}
	s.resume(after)
	for s.err == nil {
		news := s.drain()
		select {
		case <-news:
		case <-time.After(signOfLife):
			s.write("id: %s\n\n", s.id(s.after))
		case <-r.Context().Done():
			return
		case <-h.server.ending.Done():
			return
		}
	}
}

// stream is one event stream. It ends at the first error.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	source  Source
	session string
	wanted  func(election string) bool
	after   uint64 // number of the last transition that was told or passed over
	err     error
}

// resume finds where to go on, and tells if something is lost before that.
func (s *stream) resume(after string) {
	kept, _ := s.source.Transitions(0)
	first, last := uint64(1), uint64(0)
	if len(kept) > 0 {
		first, last = kept[0].ID, kept[len(kept)-1].ID
	}
	s.after = first - 1
	s.write("retry: 1000\n")
	if after == client.Latest {
		s.after = last
		s.write("id: %s\n\n", s.id(last))
		return
	}
	number, why := s.locate(after)
	switch {
	case after == "":
		s.write("\n")
	case why == "" && number >= s.after && number <= last:
		s.after = number
		s.write("\n")
	case why == "" && number < s.after:
		s.missed(after, "dropped")
	case why == "":
		s.missed(after, "unknown")
	default:
		s.missed(after, why)
	}
}

// locate returns the number in an event's id, or why it means nothing here.
func (s *stream) locate(id string) (number uint64, why string) {
	session, text, ok := strings.Cut(id, ".")
	number, err := strconv.ParseUint(text, 10, 64)
	switch {
	case !ok || err != nil:
		return 0, "unknown"
	case session != s.session:
		return 0, "restarted"
	}
	return number, ""
}

func (s *stream) id(number uint64) string { return s.session + "." + strconv.FormatUint(number, 10) }

func (s *stream) missed(after, why string) {
	s.send(s.after, "missed", client.Missed{After: after, Why: why})
}

// drain tells what is new, and returns a channel that is closed when more is.
func (s *stream) drain() <-chan struct{} {
	entries, news := s.source.Transitions(s.after)
	for _, e := range entries {
		if e.ID > s.after+1 { // this client is slower than what is kept
			before := s.id(s.after)
			s.after = e.ID - 1
			s.missed(before, "dropped")
		}
		s.after = e.ID
		if s.wanted(e.Election) {
			s.send(e.ID, "transition", e)
		}
	}
	s.flush()
	return news
}

func (s *stream) send(number uint64, name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	s.write("id: %s\nevent: %s\ndata: %s\n\n", s.id(number), name, text)
}

func (s *stream) write(format string, values ...any) {
	if s.err != nil {
		return
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin))
	_, s.err = fmt.Fprintf(s.w, format, values...)
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.control.Flush()
	}
}
