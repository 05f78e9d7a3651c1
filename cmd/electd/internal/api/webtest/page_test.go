package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/electd/electd/client/clienttest"
)

// recorder notes, in the page itself, everything that one element says, and when.
const recorder = `(() => {
	window.said = {};
	for (const id of ['statement', 'live']) {
		const e = document.getElementById(id);
		window.said[id] = [{text: e.textContent, at: Date.now()}];
		new MutationObserver(() => window.said[id].push({text: e.textContent, at: Date.now()}))
			.observe(e, {childList: true, characterData: true, subtree: true});
	}
	return true;
})()`

// said is one thing that an element said.
type said struct {
	Text string `json:"text"`
	At   int64  `json:"at"` // Unix ms
}

func (b *browser) said(id string) []said {
	b.t.Helper()
	return eval[[]said](b, fmt.Sprintf("window.said[%q]", id))
}

// inTime is how long after it happened the page may show a thing.
const inTime = 3 * time.Second

// TestAFailoverIsSeenAsItHappens watches, on the page of the follower, its leader
// being killed.
func TestAFailoverIsSeenAsItHappens(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{})
	leader := cluster.Settled("orders")
	follower := cluster.Others(leader)[0]
	b := open(t, follower.URL())
	b.awaitText("statement", leader.Name+" leads")
	eval[bool](b, recorder)
	b.see(desk)
	b.shoot("follower")

	leader.Kill()
	b.awaitText("statement", follower.Name+" leads")
	b.awaitText("epoch", "2")
	e, err := follower.Election("orders")
	if err != nil || !e.Leading {
		t.Fatalf("the page says that %s leads: %+v, %v", follower.Name, e, err)
	}
	took := e.Transitions[len(e.Transitions)-1]
	shown := b.said("statement")
	if i := slices.IndexFunc(shown, func(s said) bool { return s.Text == follower.Name+" leads" }); i < 0 {
		t.Errorf("the page said %v", shown)
	} else if late := time.UnixMilli(shown[i].At).Sub(took.At); late > inTime || late < -50*time.Millisecond {
		t.Errorf("the page showed the new leader %s after it led", late)
	} else {
		t.Logf("the page showed the new leader %s after it led", late)
	}
	for _, s := range shown {
		if at := time.UnixMilli(s.At); s.Text == leader.Name+" leads" && at.After(took.At) {
			t.Errorf("the page named %s %s after %s led", leader.Name, at.Sub(took.At), follower.Name)
		}
	}
	aloud := b.said("live")
	if last := aloud[len(aloud)-1].Text; last != follower.Name+" leads orders at epoch 2" {
		t.Errorf("a screen reader heard last: %q", last)
	}
	history := b.text("history")
	for _, want := range []string{"Leading epoch 2", "The holder has gone silent", "following"} {
		if !strings.Contains(strings.ToLower(history), strings.ToLower(want)) {
			t.Errorf("the history has no %q: %s", want, history)
		}
	}
	b.shoot("alone")
	leader.Start()
	cluster.Settled("orders")
	b.await("nodes", "that both nodes are there", func(s string) bool { return strings.Contains(s, "acknowledges") })
	b.shoot("leader")
	b.see(night)
	b.shoot("night")
	b.see(phone)
	b.shoot("phone")
	b.clean()
}

// TestAFrozenDaemonIsNotBelieved: the page names no leader for longer than the
// daemon's word is good for.
func TestAFrozenDaemonIsNotBelieved(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	d := cluster.Leader("orders")
	b := open(t, d.URL())
	b.awaitText("statement", "db-a leads")
	eval[bool](b, recorder)
	frozen := time.Now()
	d.Freeze()
	b.awaitText("statement", "No answer from db-a")
	shown := b.said("statement")
	if after := time.UnixMilli(shown[1].At).Sub(frozen); after > 8*time.Second {
		t.Errorf("a frozen daemon was believed for %s", after)
	} else {
		t.Logf("a frozen daemon was believed for %s", after)
	}
	if title := eval[string](b, "document.title"); strings.Contains(title, "leads") {
		t.Errorf("the title is %q", title)
	}
	b.shoot("no-answer")
	d.Thaw()
	b.awaitText("statement", "db-a leads")
	b.clean()
}

// TestOperatorsKeys does everything an operator can do, with the keyboard alone.
func TestOperatorsKeys(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{})
	leader := cluster.Settled("orders")
	follower := cluster.Others(leader)[0]
	b := open(t, follower.URL())
	b.awaitText("statement", leader.Name+" leads")
	if hidden := eval[bool](b, "document.getElementById('operate').hidden"); !hidden {
		t.Error("the buttons are there before anybody has shown a token")
	}

	b.tabTo("unlock")
	b.press(kb.Enter)
	b.await("key", "the question for a token", func(string) bool { return eval[bool](b, "document.getElementById('key').open") })
	b.press("this-is-not-the-token" + kb.Enter)
	b.awaitText("key-error", "The daemon does not know this token.")
	b.press(clienttest.Token)
	b.shoot("token")
	b.press(kb.Enter)
	b.await("as", "who operates", func(s string) bool { return strings.HasPrefix(s, "as token from") })
	if kept := eval[int](b, "localStorage.length + sessionStorage.length + document.cookie.length"); kept != 0 {
		t.Error("the page keeps something in the browser")
	}

	b.tabTo("target")
	b.press(follower.Name) // a select goes to what is typed
	if to := eval[string](b, "document.getElementById('target').value"); to != follower.Name {
		t.Fatalf("the target is %q, want %q", to, follower.Name)
	}
	b.press(kb.Tab + kb.Enter)
	b.shoot("operate")
	if e, _ := follower.Election("orders"); e.Leading {
		t.Fatal("one press was enough for a change of leader")
	}
	b.press(kb.Enter)
	b.awaitText("statement", follower.Name+" leads")
	b.awaitText("result", leader.Name+" was asked to.")
	cluster.Settled("orders")

	b.focusAfter("for")
	b.press(kb.Enter + kb.Enter)
	b.awaitText("result", "Paused.")
	if e, _ := follower.Election("orders"); !e.Paused {
		t.Error("the node is not paused")
	}
	b.await("nodes", "that the node is paused", func(s string) bool { return strings.Contains(s, "paused") })
	b.tabTo("resume-button")
	b.press(kb.Enter + kb.Enter)
	b.awaitText("result", "It stands again.")
	if e, _ := follower.Election("orders"); e.Paused {
		t.Error("the node is still paused")
	}

	b.tabTo("unlock")
	b.press(kb.Enter)
	if hidden := eval[bool](b, "document.getElementById('operate').hidden"); !hidden {
		t.Error("the buttons are there after locking")
	}
	b.clean()
}

// tabTo presses the tabulator until an element has the focus.
func (b *browser) tabTo(id string) {
	b.t.Helper()
	for range 40 {
		if b.focused() == id {
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("#%s is not reached with the keyboard", id)
}

// focusAfter goes to the element and then to the one behind it.
func (b *browser) focusAfter(id string) {
	b.t.Helper()
	b.tabTo(id)
	b.press(kb.Tab)
}

func (b *browser) focused() string {
	b.t.Helper()
	return eval[string](b, "document.activeElement?.id ?? ''")
}

func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// TestManyElectionsOnEveryScreen: nothing sticks out, also on a phone.
func TestManyElectionsOnEveryScreen(t *testing.T) {
	t.Parallel()
	names := []string{"orders", "an-election-with-quite-a-long-name-as-people-have-them", "invoices"}
	for i := range 20 {
		names = append(names, fmt.Sprintf("shard-%02d", i))
	}
	cluster := clienttest.Start(t, clienttest.Options{Elections: names})
	leader := cluster.Settled("orders")
	b := open(t, leader.URL())
	b.await("statement", "a leader", func(s string) bool { return strings.HasSuffix(s, " leads") })
	for _, l := range []look{desk, night, phone, {320, 600, "dark"}} {
		b.see(l)
		for _, name := range names[:2] {
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector('[data-election=%q]').click()", name)))
			b.awaitText("election", name)
			b.await("statement", "a leader", func(s string) bool { return strings.HasSuffix(s, " leads") })
			if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > int(l.width) {
				t.Errorf("%d px wide on a screen of %d", wide, l.width)
			}
		}
	}
	b.see(phone)
	b.shoot("many")
	b.clean()
}

// worried makes the page hear that the arbiter has problems: what this daemon
// answers, with them added.
const worried = `(() => {
	const real = window.fetch;
	window.fetch = async (path, ...rest) => {
		const answer = await real(path, ...rest);
		if (path !== 'v1/node') return answer;
		const said = await answer.json();
		said.arbiter.problems = ['db-c is not reached: look at its network'];
		said.arbiter.credentials = {source: 'web identity', problem: 'no <b>token</b>'};
		return new Response(JSON.stringify(said), {status: answer.status});
	};
	return true;
})()`

// TestTheArbitersProblemsAreShown: what the arbiter says is wrong stands on the page,
// as text, and nothing does where nothing is.
func TestTheArbitersProblemsAreShown(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	b := open(t, cluster.Leader("orders").URL())
	b.awaitText("statement", "db-a leads")
	b.await("store", "which arbiter it is", func(s string) bool { return strings.HasPrefix(s, "Arbiter ") })
	if hidden := eval[bool](b, "document.getElementById('store-trouble').hidden"); !hidden {
		t.Error("a problem is shown where there is none")
	}
	eval[bool](b, worried)
	b.awaitText("store-trouble", "db-c is not reached: look at its network. Its credentials are not renewed: no <b>token</b>.")
	if hidden := eval[bool](b, "document.getElementById('store-trouble').hidden"); hidden {
		t.Error("the problems are not to be seen")
	}
	b.clean()
}
