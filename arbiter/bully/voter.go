package bully

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// voter keeps one acceptor: in memory what is on its disk, or about to be. Once the
// disk fails the two may differ, and it takes part in nothing any more.
type voter struct {
	electorate register.Electorate
	disk       *disk
	opened     time.Time
	log        *slog.Logger
	giveUp     time.Duration // a data directory not heard of for so long may be replaced

	writing sync.Mutex // held while the disk is written; locked before mu

	mu       sync.Mutex
	acceptor register.Acceptor
	now      *flush // that is being written; nil: none
	next     *flush
	failed   error // errClosed: only that
	ages     map[string]firstSeen
	heard    map[string]contact // other voters that vote, by node id
}

// firstSeen is when, by this process's clock, a version was first accepted here,
// or was found on the disk.
type firstSeen struct {
	version string
	at      time.Time
}

// contact is the last sign of life of a voter's data directory.
type contact struct {
	as register.Incarnation
	at time.Time
}

// openVoter opens the data directory of c.Node.
func openVoter(ctx context.Context, c Config, e register.Electorate) (*voter, error) {
	me, _ := e.Index(c.Node)
	d, err := openDisk(ctx, c.DataDir)
	if err != nil {
		return nil, err
	}
	v := &voter{electorate: e, disk: d, opened: time.Now(), log: c.log.With("arbiter", "bully", "node", c.Node), giveUp: 5 * profiles[c.Profile].status, next: newFlush(), ages: map[string]firstSeen{}, heard: map[string]contact{}}
	if err := v.load(me, c); err != nil {
		_ = d.close()
		if known := new(core.AttributeError); !errors.As(err, &known) {
			err = wrong("data_dir", c.DataDir+" cannot be used", "mend the disk, free space, or give this node the rights", err)
		}
		return nil, err
	}
	return v, nil
}

func (v *voter) load(me int, c Config) error {
	file, slots, found, err := v.disk.load()
	if err != nil {
		return err
	}
	if !found {
		v.acceptor = register.NewAcceptor(me, v.electorate.Hash(), rand.Text())
		return v.disk.saveStanding(v.electorate, v.acceptor.Standing)
	}
	if file.Electorate != v.electorate.Hash() {
		return wrong("voters", fmt.Sprintf("differ from those that %s was made for (%v), or cluster does", c.DataDir, file.Voters),
			"voters cannot be changed while the cluster lives: stop all nodes, remove "+c.DataDir+" (this directory alone, never the node's whole data_dir) on all of them, and start them with the new list, those that were there before first; what epochs then do: docs/arbiter-bully.md", nil)
	}
	v.acceptor = register.NewAcceptor(me, v.electorate.Hash(), file.Standing.Nonce)
	v.acceptor.Standing = file.Standing
	if file.Standing.Generation == 0 {
		return nil // slots may stem from an admission that was cut short
	}
	v.acceptor.Slots = slots
	now := time.Now()
	for key, s := range slots {
		v.ages[key] = firstSeen{version: s.Value.Version, at: now}
	}
	return nil
}

func (v *voter) close() error {
	v.writing.Lock() // whoever is writing finishes first
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed == nil {
		v.failed = errClosed
	}
	return v.disk.close()
}

// vote answers one request, once what it and those before it changed is on disk.
func (v *voter) vote(r register.Request) register.Answer {
	answer, unsaved := v.answer(r)
	if unsaved != nil && v.settle(unsaved) != nil {
		return v.failing(r)
	}
	return answer
}

// answer returns what to answer, and what has to be on disk first; nil: nothing.
func (v *voter) answer(r register.Request) (register.Answer, *flush) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed != nil {
		return v.failing(r), nil
	}
	answer, change := v.acceptor.Vote(r)
	if change == register.SlotChanged {
		v.next.keys[r.Key] = true
	}
	v.noteAge(r.Key)
	if answer.Value != (register.Value{}) {
		answer.Age = v.age(r.Key)
	}
	return answer, v.unsaved(r.Key)
}

func (v *voter) failing(r register.Request) register.Answer {
	return register.Answer{Kind: register.Refused, Voter: v.acceptor.Me, Round: r.Round, Refusal: register.Failing}
}

func (v *voter) noteAge(key string) {
	version := v.acceptor.Slots[key].Value.Version
	if version != "" && v.ages[key].version != version {
		v.ages[key] = firstSeen{version: version, at: time.Now()}
	}
}

// age is less than the truth by what two clocks' rates may differ.
func (v *voter) age(key string) time.Duration {
	since := time.Since(v.ages[key].at)
	return since - since/200
}

func (v *voter) status() register.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.acceptor.Status()
}

// admit and install serve another voter's transfer.
func (v *voter) admit(r register.AdmitRequest) register.AdmitAnswer {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	last := v.heard[v.electorate.Voter(r.Voter)]
	if last.as.Nonce != r.As.Nonce && time.Since(last.at) < v.giveUp || time.Since(v.opened) < v.giveUp {
		return register.AdmitAnswer{Voter: v.acceptor.Me, Refusal: register.StillAlive, Standing: v.acceptor.Standing}
	}
	answer, change := v.acceptor.Admit(r)
	return v.saved(answer, change)
}

func (v *voter) install(r register.InstallRequest) register.AdmitAnswer {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	answer, change := v.acceptor.Install(r)
	return v.saved(answer, change, slices.Collect(maps.Keys(r.Values))...)
}

// saved writes what a transfer changed, and what its answer tells of, and returns
// the answer to give.
func (v *voter) saved(answer register.AdmitAnswer, change register.Change, keys ...string) register.AdmitAnswer {
	if v.failed == nil && (change != register.Nothing || len(v.next.keys) > 0) {
		_ = v.saveAll(keys...) // v.failed tells
	}
	if v.failed != nil {
		return register.AdmitAnswer{Voter: v.acceptor.Me, Refusal: register.Failing}
	}
	return answer
}

// become replaces a blank acceptor by the one an admission ended with.
func (v *voter) become(a register.Acceptor) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed != nil {
		return v.failed
	}
	v.acceptor = a
	return v.saveAll(slices.Collect(maps.Keys(a.Slots))...)
}

// alive notes a sign of life of another voter's data directory. Blank ones do
// not count: they could be the twin of one that votes.
func (v *voter) alive(node string, as register.Incarnation) {
	if as.Generation == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.heard[node] = contact{as: as, at: time.Now()}
}

// learn takes in what another voter knows of all.
func (v *voter) learn(s register.Standing) {
	if !v.isNews(s) {
		return // without waiting for the disk
	}
	v.writing.Lock()
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if learnt, news := v.merged(s); news {
		v.acceptor.Standing = learnt
		_ = v.saveAll() // v.failed tells
	}
}

func (v *voter) isNews(s register.Standing) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, news := v.merged(s)
	return news
}

// merged returns the standing with what another voter knows, and whether that is
// any news. v.mu is held.
func (v *voter) merged(s register.Standing) (register.Standing, bool) {
	mine := v.acceptor.Standing
	if v.failed != nil || mine.Founding == "" || s.Founding != mine.Founding {
		return mine, false
	}
	learnt := mine.Learn(s.Known)
	return learnt, learnt != mine
}
