package demo

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/electd/electd/core"
)

// View draws the nodes, the store and what keys did.
func (m *live) View() tea.View {
	v := tea.NewView(m.picture(clock()))
	v.AltScreen = true
	v.WindowTitle = "electd demo"
	return v
}

func (m *live) picture(now core.Instant) string {
	if m.quitting {
		return "ending the nodes …\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, " electd demo: two processes, one lease\n\n")
	fmt.Fprintf(&out, " %-6s %-9s %-10s %6s  %s\n", "node", "process", "role", "epoch", "authority left")
	leader, epoch := m.world.line.leader(now)
	for _, p := range m.world.nodes {
		fmt.Fprintf(&out, " %-6s %-9s %s\n", p.name, m.process(p), m.role(p, leader, epoch, now))
	}
	store, links := "up", "up"
	if m.world.store.down.Load() {
		store = "down"
	}
	if m.cut {
		links = "cut"
	}
	fmt.Fprintf(&out, "\n store %s, %d requests so far   links %s   longest overlap of leaders %.0f ms\n\n",
		store, m.world.store.requests.Load(), links, milliseconds(m.world.line.overlap(m.began)))
	fmt.Fprintf(&out, " leader:  k kill   f freeze   s step down\n world:   p cut the links   o store down / up   h heal everything   q quit\n\n")
	for _, line := range m.news[max(0, len(m.news)-lines):] {
		fmt.Fprintf(&out, " %s\n", line)
	}
	return out.String()
}

func (m *live) process(p *process) string {
	switch {
	case !p.running():
		return "dead"
	case p.isFrozen():
		return "frozen"
	}
	return "running"
}

// role is what a node's guard says, and where it does not lead, what the node
// last said of itself.
func (m *live) role(p *process, leader string, epoch core.Epoch, now core.Instant) string {
	if p.name == leader {
		left := m.world.line.left(p.name, now)
		if left > m.world.timing.lease {
			return fmt.Sprintf("%-10s %6d  %5.2f s on the store's word, until the other one is heard again", "LEADER", epoch, left.Seconds())
		}
		bar := strings.Repeat("#", int(max(0, left/(50*time.Millisecond))))
		return fmt.Sprintf("%-10s %6d  %5.2f s %s", "LEADER", epoch, left.Seconds(), bar)
	}
	e, ok := m.seen[p.name]
	if !ok || !p.running() || p.isFrozen() {
		return fmt.Sprintf("%-10s %6s", "-", "-")
	}
	return fmt.Sprintf("%-10s %6d  %s", e.Role, e.Epoch, e.Why)
}
