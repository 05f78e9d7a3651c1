package node

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/electd/electd/core"
)

// Replayed is what came of running a trace through Step again.
type Replayed struct {
	Steps       int
	Gaps        int        // lines the trace left out
	Differs     string     // empty, or where and how the first difference shows
	Phase       core.Phase // at the end
	Transitions []core.Action
}

// Replay runs a trace through the same Step and says where it differs. The
// error is about the trace itself.
func Replay(r io.Reader) (Replayed, error) {
	var out Replayed
	var config *core.Config
	var state core.State
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var l Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return out, fmt.Errorf("line %d is not a line of a trace: %w", number, err)
		}
		out.Gaps += l.Gap
		switch {
		case l.Config != nil && l.State != nil:
			config, state = l.Config, *l.State
			continue
		case config == nil || l.State == nil:
			return out, fmt.Errorf("line %d: a trace begins with its configuration and state", number)
		case l.Event == nil:
			return out, fmt.Errorf("line %d has no event", number)
		}
		differs := replayLine(config, &state, &l, &out)
		out.Steps++
		if differs != "" {
			out.Differs = fmt.Sprintf("line %d: %s", number, differs)
			return out, nil
		}
	}
	out.Phase = state.Phase
	return out, lines.Err()
}

// replayLine makes one step and compares it with what the trace says.
func replayLine(c *core.Config, s *core.State, l *Line, out *Replayed) (differs string) {
	defer func() {
		if r := recover(); r != nil {
			differs = fmt.Sprintf("the step panics: %v", r)
		}
	}()
	actions := core.Step(c, s, l.Now, *l.Event, nil)
	for _, a := range actions {
		if a.Kind == core.Transition {
			out.Transitions = append(out.Transitions, a)
		}
	}
	got, want := encode(actions), encode(l.Actions)
	if len(actions)+len(l.Actions) > 0 && !bytes.Equal(got, want) {
		return fmt.Sprintf("actions\n  now   %s\n  trace %s", got, want)
	}
	if *s != *l.State {
		return fmt.Sprintf("state\n  now   %s\n  trace %s", encode(s), encode(l.State))
	}
	return ""
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}
