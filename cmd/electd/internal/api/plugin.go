package api

import (
	"net/http"

	"github.com/electd/electd/client"
)

// reloadPlugin has a new process take the place of the arbiter's plugin.
func (h *handlers) reloadPlugin(w http.ResponseWriter, r *http.Request) {
	log := h.server.log.With("request", "reload-plugin", "by", h.caller(r).name)
	var asked client.ReloadPlugin
	if err := decode(r, &asked); err != nil {
		log.Info("an operator's request makes no sense", "error", err)
		fail(w, http.StatusBadRequest, err)
		return
	}
	result, err := h.source.ReloadPlugin(r.Context(), asked.Name)
	if err != nil {
		log.Info("an operator's request is refused", "because", err)
		fail(w, http.StatusConflict, err)
		return
	}
	log.Info("an operator's request", "outcome", "done")
	answer(w, http.StatusOK, result)
}
