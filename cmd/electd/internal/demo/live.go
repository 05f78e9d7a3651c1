package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
)

// Live shows the nodes in a terminal and does to them what keys ask for, until
// the key to quit or the end of ctx.
func Live(ctx context.Context, in io.Reader, out io.Writer) error {
	w, err := newWorld("", defaults)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.start(); err != nil {
		return err
	}
	began := clock()
	m := &live{world: w, began: began, seen: map[string]client.Election{}}
	_, err = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(os.Environ())).Run()
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		return nil // it was asked to end
	}
	return err
}

// live is the demo on the screen.
type live struct {
	world    *world
	began    core.Instant
	seen     map[string]client.Election // what each node last said of itself
	cut      bool
	news     []string // what keys did, newest last
	quitting bool
}

// What the screen is told.
type (
	ticked   struct{}
	looked   map[string]client.Election // what nodes say of themselves, those that answer
	happened string
)

const (
	frame   = 100 * time.Millisecond // between two pictures
	lines   = 10                     // of news shown
	patient = 250 * time.Millisecond // for a node's answer
)

// Init starts the clock and the first look.
func (m *live) Init() tea.Cmd { return tea.Batch(tick(), m.look) }

func tick() tea.Cmd { return tea.Tick(frame, func(time.Time) tea.Msg { return ticked{} }) }

// look asks every node that runs how it stands.
func (m *live) look() tea.Msg {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	seen := looked{}
	for _, p := range m.world.nodes {
		if e, err := p.api.Election(ctx, election); err == nil {
			seen[p.name] = e
		}
	}
	return seen
}

// Update takes in a key, or news.
func (m *live) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case ticked:
		return m, tick()
	case looked:
		m.seen = msg
		return m, tea.Tick(2*frame, func(time.Time) tea.Msg { return m.look() })
	case happened:
		m.news = append(m.news, string(msg))
	case tea.KeyPressMsg:
		return m, m.press(msg.String())
	}
	return m, nil
}

// press does what a key asks for.
func (m *live) press(key string) tea.Cmd {
	switch key {
	case "q", "esc", "ctrl+c":
		m.quitting = true
		return tea.Quit
	case "k":
		return m.strike("kill", (*process).kill)
	case "f":
		return m.strike("freeze", (*process).freeze)
	case "s":
		return m.strike("step-down", func(p *process) error {
			_, err := p.api.StepDown(context.Background(), election, "")
			return err
		})
	case "p":
		m.cut = true
		return m.act("the nodes cannot hear each other: the leader is to stay", m.world.cutLinks("cut"))
	case "o":
		down := !m.world.store.down.Load()
		m.world.store.down.Store(down)
		if down {
			return m.act("the store is down: the leader is to stay", nil)
		}
		return m.act("the store is back", nil)
	case "h":
		return m.act("healed: links, store, frozen and dead nodes", m.heal())
	}
	return nil
}

// strike does something to the leader and measures the failover.
func (m *live) strike(name string, do func(*process) error) tea.Cmd {
	return func() tea.Msg {
		leader, epoch := m.world.leader()
		if leader == nil {
			return happened(name + ": nobody leads")
		}
		at := clock()
		if err := do(leader); err != nil {
			return happened(fmt.Sprintf("%s %s: %v", name, leader.name, err))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for {
			next, found, more := m.world.line.next(epoch)
			if found {
				return happened(fmt.Sprintf("%s %s at epoch %d: %s acts at epoch %d after %.1f ms, overlap of leaders %.0f ms",
					name, leader.name, epoch, next.node, next.epoch, milliseconds(next.from.Sub(at)), milliseconds(m.world.line.overlap(m.began))))
			}
			select {
			case <-more:
			case <-ctx.Done():
				return happened(fmt.Sprintf("%s %s: nobody else leads after a minute; heal something", name, leader.name))
			}
		}
	}
}

func (m *live) act(what string, err error) tea.Cmd {
	if err != nil {
		what = err.Error()
	}
	return func() tea.Msg { return happened(what) }
}

// heal undoes everything.
func (m *live) heal() error {
	m.cut = false
	m.world.store.down.Store(false)
	for _, p := range m.world.nodes {
		if !p.running() {
			if err := p.start(); err != nil {
				return err
			}
			continue
		}
		if err := p.thaw(); err != nil {
			return err
		}
	}
	return m.world.cutLinks("heal")
}
