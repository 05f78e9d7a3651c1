package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/electd/electd/client"
)

// hangsAfter is how long the daemon's loops may take to answer.
const hangsAfter = 2 * time.Second

// live: every election's loop answers.
func (h *handlers) live(w http.ResponseWriter, _ *http.Request) {
	_, ok := h.ask()
	if !ok {
		answerHealth(w, fmt.Sprintf("the elections do not answer within %s", hangsAfter))
		return
	}
	answerHealth(w)
}

// ready: the daemon can take part in all of its elections. Ready is not leading.
func (h *handlers) ready(w http.ResponseWriter, _ *http.Request) {
	n, ok := h.ask()
	if !ok {
		answerHealth(w, fmt.Sprintf("the elections do not answer within %s", hangsAfter))
		return
	}
	var problems []string
	if !n.Arbiter.Running {
		problems = append(problems, "the arbiter's process does not run: "+n.Arbiter.Problem)
	}
	if probe := n.Arbiter.Probe; probe != "passed" && probe != "skipped" {
		problems = append(problems, fmt.Sprintf("the store's probe is %s: %s", probe, n.Arbiter.Problem))
	}
	for _, e := range n.Elections {
		if e.Role == "broken" {
			problems = append(problems, e.Why)
		}
	}
	answerHealth(w, problems...)
}

// ask asks the daemon how it stands, as long as that may take. A question that
// hangs is asked once, however many want to know.
func (h *handlers) ask() (client.Node, bool) {
	late := time.NewTimer(hangsAfter)
	defer late.Stop()
	select {
	case result := <-h.probe.DoChan("", func() (any, error) { return h.source.Node(), nil }):
		return result.Val.(client.Node), true
	case <-late.C:
		return client.Node{}, false
	}
}

func answerHealth(w http.ResponseWriter, problems ...string) {
	code := http.StatusOK
	if len(problems) > 0 {
		code = http.StatusServiceUnavailable
	} else {
		problems = []string{}
	}
	answer(w, code, client.Health{OK: len(problems) == 0, Problems: problems})
}
