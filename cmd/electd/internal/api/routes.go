package api

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"

	"golang.org/x/sync/singleflight"
)

// handlers answer the requests of one listener.
type handlers struct {
	server  *Server
	source  Source
	session string // the daemon's
	trusted bool   // may change things without showing anything
	probe   singleflight.Group
}

// route is one thing that can be asked. Its path is as in the description
// (openapi.yaml), which a test compares with this table.
type route struct {
	method, path string
	serve        http.HandlerFunc
}

func (h *handlers) routes() []route {
	const election = "/v1/elections/{name}"
	routes := []route{
		{"GET", "/v1/node", bounded(h.node)},
		{"GET", "/v1/access", bounded(h.access)},
		{"POST", "/v1/plugin/reload", bounded(h.owned(h.reloadPlugin))},
		{"GET", election, bounded(h.election)},
		{"GET", election + "/leader", bounded(h.leader)},
		{"GET", election + "/lease", bounded(h.guarded(h.lease))},
		{"POST", election + "/step-down", bounded(h.changes("step-down", stepDown))},
		{"POST", election + "/pause", bounded(h.changes("pause", pause))},
		{"POST", election + "/resume", bounded(h.changes("resume", resume))},
		{"POST", election + "/admit", bounded(h.changes("admit", admit))},
		{"POST", election + "/release", bounded(h.changes("release", release))},
		{"PUT", election + "/guards/{id}", bounded(h.guarded(h.permit))},
		{"DELETE", election + "/guards/{id}", bounded(h.guarded(h.dismiss))},
		{"GET", "/v1/events", h.events},
		{"GET", "/v1/openapi.yaml", bounded(description)},
		{"GET", "/livez", bounded(h.live)},
		{"GET", "/readyz", bounded(h.ready)},
		{"GET", "/metrics", bounded(h.server.metrics.handler().ServeHTTP)},
	}
	return append(routes, page()...)
}

// handler answers everything that comes in at one listener.
func (s *Server) handler(source Source, trusted bool) http.Handler {
	h := &handlers{server: s, source: source, session: source.Node().Session, trusted: trusted}
	mux := http.NewServeMux()
	for _, r := range h.routes() {
		mux.HandleFunc(r.method+" "+r.path, s.metrics.counted(r, r.serve))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { nothing(mux, w, r) })
	// A browser must not be made to change things by another site's page, by the
	// client certificate that it shows by itself.
	elsewhere := http.NewCrossOriginProtection()
	elsewhere.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusForbidden, errElsewhere) }))
	return protected(elsewhere.Handler(exact(mux)))
}

// exact answers what the mux would redirect, or refuse in words of its own: no
// path is written in two ways here.
func exact(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.EscapedPath()
		clean := path.Clean(asked)
		if clean != "/" && strings.HasSuffix(asked, "/") {
			clean += "/"
		}
		if asked != clean || !strings.HasPrefix(asked, "/") {
			fail(w, http.StatusNotFound, errNothing(r))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func errNothing(r *http.Request) error {
	return fmt.Errorf("there is nothing at %s: see /v1/openapi.yaml", r.URL.Path)
}

var errElsewhere = errors.New("a browser sends this for a page that is not this daemon's: nothing is changed")

// nothing answers a request that no route is for, and says if there is one for
// the same path with another method.
func nothing(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		fail(w, http.StatusNotFound, errNothing(r))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	fail(w, http.StatusMethodNotAllowed, fmt.Errorf("%s is asked for with %s, not with %s", r.URL.Path, strings.Join(allowed, " or "), r.Method))
}

// protected sets what holds for every answer: nothing is kept by caches, and the
// page runs nothing but what comes from here.
func protected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", contentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// find returns the election that the path names, or answers that there is none.
func (h *handlers) find(w http.ResponseWriter, r *http.Request) (Election, bool) {
	name := r.PathValue("name")
	e, ok := h.source.Election(name)
	if !ok {
		fail(w, http.StatusNotFound, fmt.Errorf("there is no election %q on this node", name))
	}
	return e, ok
}
