package api

import (
	"fmt"
	"net/http"

	"github.com/electd/electd/client"
)

func (h *handlers) node(w http.ResponseWriter, _ *http.Request) {
	n := h.source.Node()
	for i := range n.Elections {
		h.server.metrics.tellAge(&n.Elections[i])
	}
	answer(w, http.StatusOK, n)
}

func (h *handlers) election(w http.ResponseWriter, r *http.Request) {
	if e, ok := h.find(w, r); ok {
		answer(w, http.StatusOK, h.status(e))
	}
}

func (h *handlers) status(e Election) client.Election {
	status := e.Status()
	h.server.metrics.tellAge(&status)
	return status
}

// leader answers with a code alone, for load balancers.
func (h *handlers) leader(w http.ResponseWriter, r *http.Request) {
	e, ok := h.find(w, r)
	if !ok {
		return
	}
	codes := h.server.codes.Load()
	code := codes.notLeader
	status := h.status(e)
	if status.Leading {
		code = codes.leader
	}
	answer(w, code, status)
}

// lease reads the record, which costs a request to the store: not for everybody.
func (h *handlers) lease(w http.ResponseWriter, r *http.Request) {
	e, ok := h.find(w, r)
	if !ok {
		return
	}
	lease, err := e.Lease(r.Context())
	if err != nil {
		fail(w, http.StatusBadGateway, fmt.Errorf("the record cannot be read: %w", err))
		return
	}
	answer(w, http.StatusOK, lease)
}
