package core

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTableIsWhole: no pair of phase and event is left without a rule, every
// rule is used, and no phase or event has no name.
func TestTableIsWhole(t *testing.T) {
	used := map[rule]bool{}
	for p := NoLease; p < phases; p++ {
		for k := Ticked; k < eventKinds; k++ {
			r := table[p][k]
			if r == undefined || r >= rules {
				t.Errorf("in phase %s, the event %q has no rule", p, k)
			}
			used[r] = true
		}
		if p.String() == "" {
			t.Errorf("phase %d has no name", p)
		}
	}
	for r := nothing; r < rules; r++ {
		if !used[r] {
			t.Errorf("rule %d is never used", r)
		}
	}
	for k := Ticked; k < eventKinds; k++ {
		if k.String() == "" {
			t.Errorf("event %d has no name", k)
		}
	}
	if Phase(200).String() != "invalid" || EventKind(200).String() != "invalid" {
		t.Error("what is no phase and no event must not look like one")
	}
}

// TestReceived: every kind of message is an event, and nothing else is.
func TestReceived(t *testing.T) {
	events := map[MessageKind]EventKind{
		Hello: HelloReceived, Heartbeat: HeartbeatReceived, Ack: AckReceived, Busy: BusyReceived,
		Stale: StaleReceived, Released: ReleasedReceived, HandOver: HandOverReceived,
	}
	for kind := range MessageKind(255) {
		ev, ok := Received(&Message{Kind: kind})
		want, known := events[kind]
		if ok != known || ev.Kind != want {
			t.Errorf("a message of kind %d is the event %q, %v", kind, ev.Kind, ok)
		}
	}
}

const phasesFile = "../docs/phases.md"

// comparePhases compares docs/phases.md with the table and with what the stories
// have shown; -rewrite writes it anew.
func (s *seen) comparePhases(t *testing.T) {
	want := s.phasesDocument()
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(phasesFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(phasesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; run: go test ./core -run TestTraces -rewrite", phasesFile)
	}
}

func (s *seen) phasesDocument() string {
	var b strings.Builder
	b.WriteString(`# Phases and events

This file is generated from ` + "`core/table.go`" + ` and from what happens in the stories of ` + "`core/testdata/traces`" + `
(` + "`go test ./core -run TestTraces -rewrite`" + `). A test compares them.

## What a node does about an event

Every pair has a rule; *nothing* is one as well. Before the event, and after it, a node does what the clock makes due
in its phase (` + "`core/due.go`" + `): that is where fences, rounds of heartbeats, renewals, takes and reads start.

`)
	b.WriteString("| event |")
	for p := NoLease; p < phases; p++ {
		fmt.Fprintf(&b, " %s |", p)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", int(phases-NoLease)) + "\n")
	for k := Ticked; k < eventKinds; k++ {
		fmt.Fprintf(&b, "| %s |", k)
		for p := NoLease; p < phases; p++ {
			if r := table[p][k]; r == nothing {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %s |", s.declared.rules[r])
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n– is *nothing*.\n\n| rule | |\n|---|---|\n")
	for r := nothing + 1; r < rules; r++ {
		name := s.declared.rules[r]
		fmt.Fprintf(&b, "| %s | %s |\n", name, s.says(name))
	}
	b.WriteString("\n## How phases change\n\n```mermaid\nstateDiagram-v2\n")
	fmt.Fprintf(&b, "    [*] --> %s\n", diagramName(NoLease))
	for _, a := range s.sortedArrows() {
		fmt.Fprintf(&b, "    %s --> %s\n", diagramName(a.from), diagramName(a.to))
	}
	b.WriteString("```\n\n| from | to | because |\n|---|---|---|\n")
	for _, a := range s.sortedArrows() {
		for _, because := range slices.Sorted(maps.Keys(s.arrows[a])) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", a.from, a.to, because)
		}
	}
	return b.String()
}

// says returns what a rule does, in the words of the function of that name.
func (s *seen) says(name string) string {
	if text, ok := inStep[name]; ok {
		return text
	}
	text := strings.TrimPrefix(s.declared.docs[name], name+" ")
	text, _, _ = strings.Cut(text, ". ")
	text = strings.TrimSuffix(text, ".")
	return strings.TrimSuffix(text, " (design 3.4)")
}

// inStep says what the rules do that step.go has no function for.
var inStep = map[string]string{
	"refuseStepDown":  "answers that a change of leader is under way already",
	"renewSoon":       "renews as soon as nothing is in flight",
	"reviewRoster":    "renews, with the new timings, and compares the electors with what the peers said",
	"admit":           "lets a stranger take",
	"readSoon":        "reads the record",
	"shutDown":        "takes nothing any more",
	"shutDownHolding": "releases, and takes nothing any more",
	"serviceEnded":    "releases, and does not stand for a lease",
}

func (s *seen) sortedArrows() []arrow {
	return slices.SortedFunc(maps.Keys(s.arrows), func(a, b arrow) int {
		return int(a.from)*int(phases) + int(a.to) - int(b.from)*int(phases) - int(b.to)
	})
}

// diagramName is a phase as a name of the diagram, where a dash has a meaning.
func diagramName(p Phase) string { return strings.ReplaceAll(p.String(), "-", "_") }
