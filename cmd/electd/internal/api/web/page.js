// The page: what the daemon says, asked again and again, and shown for no longer
// than it may be relied on.

import * as api from './api.js';
import { show, tick, showHistory, showStrip, showElections, announce } from './view.js';
import { operate } from './operate.js';

const state = {
  node: null, // the last answer about the daemon
  election: null, // and about the election that is shown
  chosen: decodeURIComponent(location.hash.slice(1)),
  sent: 0, // when the question was sent that election answers, by performance.now()
  lost: '', // why there was no answer to the last question
  history: [], // its transitions, oldest first
  session: '', // of the daemon that numbered them
  missed: null,
  requests: { count: -1, since: 0, watched: 0 }, // to the store: since when the count stands still
};

// pace is how many ms lie between questions, while somebody looks: so that no
// answer runs out before the next one comes.
const pace = () => Math.min(500, Math.max(150, (state.election?.heartbeat_lease_ms ?? 1500) / 6));
const keep = 500; // transitions

async function askElection() {
  if (!state.chosen) return;
  try {
    const { sent, said } = await api.election(state.chosen);
    if (said.election !== state.chosen || sent < state.sent) return; // another one was chosen, or it is overtaken
    announce(state.election, said);
    Object.assign(state, { election: said, sent, lost: '' });
    countRequests(said.requests);
  } catch (err) {
    state.lost = err instanceof api.Refused ? err.message : 'no answer';
  }
  show(state);
}

async function askNode() {
  try {
    const { said } = await api.node();
    state.node = said;
    if (!said.elections.some((e) => e.election === state.chosen)) choose(said.elections[0]?.election ?? '');
  } catch (err) {
    state.lost = err instanceof api.Refused ? err.message : 'no answer';
  }
  showElections(state, choose);
  showStrip(state);
  show(state);
}

function countRequests({ reads, writes }) {
  const now = performance.now();
  const r = state.requests;
  if (r.count !== reads + writes) Object.assign(r, { count: reads + writes, since: now, watched: r.count < 0 ? now : r.watched });
}

function choose(name) {
  state.chosen = name;
  state.election = null;
  state.sent = 0;
  state.requests = { count: -1, since: 0, watched: 0 };
  follow();
  history.replaceState(null, '', name ? `#${encodeURIComponent(name)}` : '#');
  showElections(state, choose);
  showHistory(state);
  askElection();
}

// One question at a time, and none while nobody looks.
async function loop(ask, pause) {
  for (;;) {
    if (!document.hidden) await ask();
    await new Promise((next) => {
      const wake = () => { clearTimeout(timer); document.removeEventListener('visibilitychange', wake); next(); };
      const timer = setTimeout(wake, pause());
      document.addEventListener('visibilitychange', wake);
    });
  }
}

let unfollow = () => {};

// follow has the transitions of the chosen election told, from the first kept on.
function follow() {
  unfollow();
  state.history = [];
  state.missed = null;
  if (!state.chosen) return;
  unfollow = api.follow(state.chosen, {
    transition(t, session) {
      if (session !== state.session) Object.assign(state, { session, history: [] }); // it was restarted
      // A stream that the page itself opened anew begins with what is known already.
      if (t.id <= (state.history.at(-1)?.id ?? 0)) return;
      state.history.push(t);
      if (state.history.length > keep) state.history.shift();
      soon();
    },
    missed(m) {
      if (m.why !== 'dropped') state.history = []; // the daemon numbers anew, and tells all that it keeps
      state.missed = m;
      soon();
    },
    changed: soon,
  });
}

// What comes in a burst is shown, and asked about, once.
let due = 0;
function soon() {
  if (due) return;
  due = setTimeout(() => { due = 0; showHistory(state); askElection(); nodeSoon(); }, 20);
}

// The answer about all elections is long where there are many.
let nodeDue = 0;
function nodeSoon() {
  if (nodeDue) return;
  nodeDue = setTimeout(() => { nodeDue = 0; askNode(); }, (state.node?.elections.length ?? 0) > 50 ? 5000 : 200);
}

if (state.chosen) follow();
operate(state, () => { askElection(); askNode(); });
loop(askElection, pace);
loop(askNode, () => 5000);
(function frame() {
  tick(state);
  requestAnimationFrame(frame);
})();
