package api

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/electd/electd/client"
)

// maxRequest bounds a request's body.
const maxRequest = 64 << 10

// handlers answer the requests of one listener.
type handlers struct {
	server  *Server
	source  Source
	trusted bool // may change things without showing anything
}

func (s *Server) routes(source Source, trusted bool) http.Handler {
	h := &handlers{server: s, source: source, trusted: trusted}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/node", h.node)
	mux.HandleFunc("GET /v1/elections/{name}", h.election)
	mux.HandleFunc("GET /v1/elections/{name}/leader", h.leader)
	mux.HandleFunc("POST /v1/elections/{name}/step-down", h.changes(h.stepDown))
	mux.HandleFunc("POST /v1/elections/{name}/pause", h.changes(h.pause))
	mux.HandleFunc("POST /v1/elections/{name}/resume", h.changes(h.resume))
	mux.HandleFunc("POST /v1/elections/{name}/admit", h.changes(h.admit))
	mux.HandleFunc("GET /v1/events", h.events)
	mux.HandleFunc("GET /livez", h.live)
	mux.HandleFunc("GET /readyz", h.ready)
	return mux
}

// changes lets a request through only if its sender may change things.
func (h *handlers) changes(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !h.mayChange(r) {
			fail(w, http.StatusForbidden, errors.New("to change anything over TCP, show the token of api.token_file or a client certificate of api.tls.ca_file; or use the Unix socket"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		next(w, r)
	}
}

func (h *handlers) mayChange(r *http.Request) bool {
	if h.trusted {
		return true
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return true
	}
	shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && h.server.token != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(h.server.token)) == 1
}

func (h *handlers) node(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, h.source.Node())
}

// find returns the election that the path names, or answers that there is none.
func (h *handlers) find(w http.ResponseWriter, r *http.Request) Election {
	e, ok := h.source.Election(r.PathValue("name"))
	if !ok {
		fail(w, http.StatusNotFound, fmt.Errorf("there is no election %q on this node", r.PathValue("name")))
		return nil
	}
	return e
}

func (h *handlers) election(w http.ResponseWriter, r *http.Request) {
	if e := h.find(w, r); e != nil {
		answer(w, http.StatusOK, e.Status())
	}
}

// leader answers with a code alone, for load balancers.
func (h *handlers) leader(w http.ResponseWriter, r *http.Request) {
	e := h.find(w, r)
	if e == nil {
		return
	}
	code := h.server.config.NotLeaderCode
	status := e.Status()
	if status.Leading {
		code = h.server.config.LeaderCode
	}
	answer(w, code, status)
}

func (h *handlers) stepDown(w http.ResponseWriter, r *http.Request) {
	e := h.find(w, r)
	if e == nil {
		return
	}
	var asked client.StepDown
	if !decode(w, r, &asked) {
		return
	}
	done, err := e.StepDown(r.Context(), asked.To)
	if err != nil {
		fail(w, http.StatusConflict, err)
		return
	}
	answer(w, http.StatusOK, done)
}

func (h *handlers) pause(w http.ResponseWriter, r *http.Request) {
	e := h.find(w, r)
	if e == nil {
		return
	}
	var asked client.Pause
	if !decode(w, r, &asked) {
		return
	}
	h.done(w, e.Pause(time.Duration(asked.ForMS)*time.Millisecond))
}

func (h *handlers) resume(w http.ResponseWriter, r *http.Request) {
	if e := h.find(w, r); e != nil {
		h.done(w, e.Resume())
	}
}

func (h *handlers) admit(w http.ResponseWriter, r *http.Request) {
	if e := h.find(w, r); e != nil {
		h.done(w, e.Admit())
	}
}

func (h *handlers) done(w http.ResponseWriter, err error) {
	if err != nil {
		fail(w, http.StatusConflict, err)
		return
	}
	answer(w, http.StatusOK, client.Done{Done: true})
}

// events streams transitions as server-sent events, from Last-Event-ID on.
func (h *handlers) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		fail(w, http.StatusInternalServerError, errors.New("this connection cannot stream"))
		return
	}
	after, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	for {
		entries, news := h.source.Transitions(after)
		for _, e := range entries {
			text, err := json.Marshal(e)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "id: %d\nevent: transition\ndata: %s\n\n", e.ID, text)
			after = e.ID
		}
		flusher.Flush()
		select {
		case <-news:
		case <-r.Context().Done():
			return
		case <-time.After(15 * time.Second):
			fmt.Fprint(w, ": still here\n\n")
		}
	}
}

func (h *handlers) live(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, client.Done{Done: true})
}

// ready: the arbiter's process runs and no election is broken. Ready is not
// leading.
func (h *handlers) ready(w http.ResponseWriter, _ *http.Request) {
	n := h.source.Node()
	if !n.Arbiter.Running {
		fail(w, http.StatusServiceUnavailable, fmt.Errorf("the arbiter's process does not run: %s", n.Arbiter.Problem))
		return
	}
	for _, e := range n.Elections {
		if e.Role == "broken" {
			fail(w, http.StatusServiceUnavailable, errors.New(e.Why))
			return
		}
	}
	answer(w, http.StatusOK, client.Done{Done: true})
}

// decode reads a request's body; an empty one stands for the zero value.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if r.ContentLength == 0 {
		return true
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("the request's body: %w", err))
		return false
	}
	return true
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, code int, err error) {
	answer(w, code, client.Failure{Error: err.Error()})
}
