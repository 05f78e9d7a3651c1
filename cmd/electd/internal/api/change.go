package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/electd/electd/client"
)

// change carries out one operator's request. It returns what the log should say
// of it besides its name, and a badRequest if that makes no sense.
type change func(r *http.Request, e Election) (done client.Done, details []any, err error)

// badRequest is an error of who asked.
type badRequest struct{ error }

var done = client.Done{Outcome: client.OutcomeDone}

// changes serves a change: to those who may, and never without a line in the log.
func (h *handlers) changes(name string, do change) http.HandlerFunc {
	return h.guarded(func(w http.ResponseWriter, r *http.Request) {
		e, ok := h.find(w, r)
		if !ok {
			return
		}
		log := h.server.log.With("request", name, "election", r.PathValue("name"), "by", h.caller(r).name)
		result, details, err := do(r, e)
		log = log.With(details...)
		switch {
		case errors.As(err, &badRequest{}):
			log.Info("an operator's request makes no sense", "error", err)
			fail(w, http.StatusBadRequest, err)
		case isEnded(err):
			log.Warn("an operator's request was not answered in time: it may be carried out yet")
			answer(w, http.StatusAccepted, client.Done{Outcome: client.OutcomeUnknown})
		case err != nil:
			log.Info("an operator's request is refused", "because", err)
			fail(w, http.StatusConflict, err)
		case result.Outcome != client.OutcomeDone:
			log.Info("an operator's request", "outcome", string(result.Outcome), "to", result.To)
			answer(w, http.StatusAccepted, result)
		default:
			log.Info("an operator's request", "outcome", string(result.Outcome))
			answer(w, http.StatusOK, result)
		}
	})
}

func isEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func stepDown(r *http.Request, e Election) (client.Done, []any, error) {
	var asked client.StepDown
	if err := decode(r, &asked); err != nil {
		return client.Done{}, nil, badRequest{err}
	}
	result, err := e.StepDown(r.Context(), asked.To)
	return result, []any{"target", asked.To}, err
}

// longestPause keeps a slip of the keyboard from silencing a node for good.
const longestPause = 31 * 24 * time.Hour

func pause(r *http.Request, e Election) (client.Done, []any, error) {
	var asked client.Pause
	if err := decode(r, &asked); err != nil {
		return client.Done{}, nil, badRequest{err}
	}
	details := []any{"for_ms", asked.ForMS}
	if asked.ForMS <= 0 || asked.ForMS > longestPause.Milliseconds() {
		return client.Done{}, details, badRequest{fmt.Errorf("for_ms is %d: say for how long, from 1 to %d ms; a pause ends by itself", asked.ForMS, longestPause.Milliseconds())}
	}
	return done, details, e.Pause(time.Duration(asked.ForMS) * time.Millisecond)
}

func resume(_ *http.Request, e Election) (client.Done, []any, error) { return done, nil, e.Resume() }

func admit(_ *http.Request, e Election) (client.Done, []any, error) { return done, nil, e.Admit() }

func release(r *http.Request, e Election) (client.Done, []any, error) {
	var asked client.Release
	if err := decode(r, &asked); err != nil {
		return client.Done{}, nil, badRequest{err}
	}
	details := []any{"epoch", asked.Epoch, "force", asked.Force}
	if !asked.Force {
		return client.Done{}, details, badRequest{errors.New("force is not true: releasing in the place of a holder makes two leaders if anything of it still acts; a leader that lives is asked to step down")}
	}
	result, err := e.Release(r.Context(), asked.Epoch)
	return result, details, err
}
