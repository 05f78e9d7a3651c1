package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/electd/electd/client"
)

// caller is who sent a request, and whether it may change things.
type caller struct {
	name string // as the log says it
	may  bool
}

func (h *handlers) caller(r *http.Request) caller {
	if h.trusted {
		name, _ := r.Context().Value(peerKey{}).(string)
		return caller{name, true}
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return caller{fmt.Sprintf("certificate %q from %s", r.TLS.PeerCertificates[0].Subject.CommonName, r.RemoteAddr), true}
	}
	shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ok && h.server.token.is(shown) {
		return caller{"token from " + r.RemoteAddr, true}
	}
	return caller{r.RemoteAddr, false}
}

var errForbidden = errors.New("over TCP, show the token of api.token_file or a client certificate of api.tls.ca_file for this; or use the Unix socket")

// guarded lets a request through only if its sender may change things.
func (h *handlers) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who := h.caller(r)
		if who.may {
			next(w, r)
			return
		}
		if h.server.refusals.due(time.Now()) {
			h.server.log.Warn("a request is refused: its sender has shown nothing that allows it", "request", r.Method+" "+r.URL.Path, "by", who.name)
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="electd"`)
		fail(w, http.StatusUnauthorized, errForbidden)
	}
}

var errNotOwner = errors.New("this is done on the Unix socket alone, by whoever owns the daemon")

// owned lets a request through only if it comes from the Unix socket: what starts
// programs is not for whoever holds a token.
func (h *handlers) owned(next http.HandlerFunc) http.HandlerFunc {
	if h.trusted {
		return next
	}
	return h.guarded(func(w http.ResponseWriter, r *http.Request) {
		h.server.log.Warn("a request is refused: it did not come from the Unix socket", "request", r.Method+" "+r.URL.Path, "by", h.caller(r).name)
		fail(w, http.StatusForbidden, errNotOwner)
	})
}

// access tells who asks whether it may change things.
func (h *handlers) access(w http.ResponseWriter, r *http.Request) {
	who := h.caller(r)
	answer(w, http.StatusOK, client.Access{Allowed: who.may, As: who.name})
}

// refusals keeps strangers from filling the log: one line a second.
type refusals struct {
	mu   sync.Mutex
	last time.Time
}

func (f *refusals) due(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) < time.Second {
		return false
	}
	f.last = now
	return true
}

// peerKey finds, in a request's context, who opened its Unix socket.
type peerKey struct{}

func rememberPeer(ctx context.Context, c net.Conn) context.Context {
	if socket, ok := c.(*net.UnixConn); ok {
		return context.WithValue(ctx, peerKey{}, whoOpened(socket))
	}
	return ctx
}

// whoOpened names the user, and where the system tells it the process, at the
// other end of a socket.
func whoOpened(socket *net.UnixConn) string {
	name := "somebody"
	raw, err := socket.SyscallConn()
	if err != nil {
		return name
	}
	_ = raw.Control(func(fd uintptr) { name = credentials(int(fd), name) })
	return name
}
