// Puts what is known on the page.

import { duration, running, exact, clock, day } from './format.js';

const $ = (id) => document.getElementById(id);

// text changes an element only if it says something else, so that a screen reader
// and a selection are left in peace.
function text(id, value) {
  const e = typeof id === 'string' ? $(id) : id;
  if (e.textContent !== value) e.textContent = value;
}

function make(tag, name, value) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (value !== undefined) e.textContent = value;
  return e;
}

// stale is how old an answer may be shown, in ms, where it is not good for longer.
const stale = 2000;

// fresh reports whether the last answer may still be shown as how things are.
function fresh(state) {
  return state.election && performance.now() - state.sent < Math.max(stale, state.election.valid_for_ms);
}

// situation is one of: leader (this node leads), follower (another one does),
// between (nobody, as far as is known), broken, unknown (no answer).
function situation(state) {
  if (!fresh(state)) return 'unknown';
  const e = state.election;
  if (e.role === 'broken') return 'broken';
  if (e.leading) return 'leader';
  return e.leader ? 'follower' : 'between';
}

function statement(state, now) {
  const e = state.election;
  switch (now) {
    case 'unknown': return e ? `No answer from ${e.node}` : 'No answer';
    case 'broken': return 'Broken';
    case 'leader': case 'follower': return `${e.leader} leads`;
  }
  return {
    promoting: `${e.node} is being promoted`, fenced: `${e.node} is fenced`, releasing: `${e.node} gives up`, candidate: 'Nobody leads',
  }[e.role] ?? `Nobody is heard`;
}

export function show(state) {
  const e = state.election;
  const now = situation(state);
  if (document.documentElement.dataset.now !== now) {
    document.documentElement.dataset.now = now;
    showStrip(state);
  }
  text('statement', statement(state, now));
  text('election', e?.election ?? state.chosen);
  document.title = `${statement(state, now)} · ${e?.election ?? 'electd'}`;
  text('why', now === 'unknown' ? unanswered(state) : why(e, now));
  const trouble = now !== 'unknown' && e.trouble;
  $('trouble').hidden = !trouble;
  text('trouble', trouble ? `Look at this: ${e.trouble}.` : '');
  text('epoch', e?.epoch ? String(e.epoch) : '–');
  if (e) {
    showNodes(state, now);
    showStore(state);
    showOperate(e);
  }
  tick(state);
}

// why is the daemon's sentence, without what the headline says already. Names of
// nodes stay as they are written.
function why(e, now) {
  const plain = `${e.leader} leads at epoch ${e.epoch}`;
  if (now === 'follower' && e.why.startsWith(plain)) return `${e.node} follows${e.why.slice(plain.length)}.`;
  const rest = e.why.replace(/^leading: /, '');
  const names = [e.node, e.holder, ...e.peers.map((p) => p.node)];
  return (names.some((n) => n && rest.startsWith(n)) ? rest : sentence(rest)) + '.';
}

const sentence = (s) => s.charAt(0).toUpperCase() + s.slice(1);

function unanswered(state) {
  if (!state.election) return state.lost === 'no answer' ? 'The daemon does not answer. The page keeps asking.' : state.lost;
  return 'What it said last is too old to go by. The page keeps asking.';
}

// tick shows what changes by itself: every clock that runs.
export function tick(state) {
  const e = state.election;
  const now = situation(state);
  if (document.documentElement.dataset.now !== now) return show(state);
  const passed = performance.now() - state.sent;
  document.documentElement.toggleAttribute('data-aging', Boolean(e) && passed > Math.max(e.valid_for_ms, e.act_for_ms));
  text('seen', now === 'unknown' ? state.lost || 'no answer' : `${e.node}, live`);
  if (!e) return;
  const last = e.transitions.at(-1);
  text('since-name', sentence(e.phase.replace('-', ' ')) + ' for');
  text('since', now === 'unknown' || !last ? '–' : duration(Math.max(0, Date.now() - Date.parse(last.at))));
  const total = Math.max(e.arbiter_ms > e.heartbeat_lease_ms ? e.arbiter_lease_ms : e.heartbeat_lease_ms, 1);
  let left = 0;
  let margin = 0;
  if (now === 'leader') {
    left = e.authority_ms - passed;
    margin = e.authority_ms - e.act_for_ms;
    clocks('May act for', running(left - margin), 'Authority ends in', running(left));
  } else if (now === 'follower') {
    left = e.free_in_ms - passed;
    clocks(`May challenge ${e.leader} in`, running(left), 'Last confirmed', e.age_ms < 0 ? 'never' : `${duration(e.age_ms + passed)} ago`);
  } else if (now === 'unknown') {
    clocks('May act for', '–', 'Last answer', `${duration(passed)} ago`);
  } else {
    clocks('May act for', running(0), 'Authority ends in', running(e.authority_ms - passed));
  }
  const scale = now === 'follower' && e.free_in_ms > total ? e.arbiter_lease_ms : total;
  $('fuse').style.setProperty('--left', Math.min(1, Math.max(0, left / scale)).toFixed(4));
  $('margin').style.setProperty('--left', Math.min(1, margin / scale).toFixed(4));
  const r = state.requests;
  if (now !== 'unknown') text('quiet', r.count < 0 ? '–' : (r.since === r.watched ? 'at least ' : '') + duration(performance.now() - r.since));
}

function clocks(first, value, second, other) {
  text('clock-name', first);
  text('clock', value);
  text('second-name', second);
  text('second', other);
}

function showNodes(state, now) {
  const e = state.election;
  const cards = [{ node: e.node, self: true, marks: marksOfSelf(e, now), version: state.node?.version, lead: e.leader === e.node, ok: now !== 'unknown' }];
  for (const p of e.peers) {
    cards.push({ node: p.node, marks: marksOfPeer(p, e), version: p.version, api: p.api, lead: e.leader === p.node, ok: p.connected });
  }
  const list = $('nodes');
  while (list.children.length > cards.length) list.lastChild.remove();
  cards.forEach((c, i) => {
    const item = list.children[i] ?? list.appendChild(card());
    item.className = 'node' + (c.lead && now !== 'unknown' ? ' lead' : '') + (c.ok ? '' : ' away') + (c.self ? ' self' : '');
    name(item.querySelector('.name'), c);
    text(item.querySelector('.role'), c.lead && now !== 'unknown' ? 'leader' : c.self ? roleOf(e, now) : c.ok ? 'follower' : 'away');
    text(item.querySelector('.marks'), c.marks.join(' · '));
    text(item.querySelector('.version'), [c.self ? 'this node' : '', c.version].filter(Boolean).join(' · '));
  });
}

function card() {
  const item = make('li', 'node');
  const head = make('p', 'node-head');
  head.append(make('span', 'beat'), make('strong', 'name'), make('span', 'role'));
  head.firstChild.setAttribute('aria-hidden', 'true');
  item.append(head, make('p', 'marks'), make('p', 'version faint'));
  return item;
}

// name writes a node's name, and where its own page is known leads there.
function name(e, { node, api }) {
  const url = api ? `${location.protocol}//${api}/${location.hash}` : '';
  if (e.textContent === node && (e.firstElementChild?.getAttribute('href') ?? '') === url) return;
  if (!url) return e.replaceChildren(node);
  const link = make('a', '', node);
  link.href = url;
  e.replaceChildren(link);
}

function roleOf(e, now) {
  return now === 'unknown' ? 'no answer' : e.role === 'candidate' ? 'no leader known' : e.role;
}

function marksOfSelf(e, now) {
  if (now === 'unknown') return ['not known'];
  const out = [];
  if (!e.healthy) out.push(`not healthy${e.health_why ? `: ${e.health_why}` : ''}`);
  if (e.paused) out.push('paused');
  if (e.priority <= 0) out.push('priority 0: never stands');
  if (e.stranger) out.push('not an elector');
  return out.length ? out : [e.leading ? 'acts' : 'ready to take over'];
}

function marksOfPeer(p, e) {
  if (!p.connected) return [p.problem ? `no connection: ${p.problem}` : 'no connection'];
  const out = [];
  if (!p.elector) out.push('not an elector');
  else if (e.leading) out.push(p.acknowledges ? 'acknowledges' : 'silent');
  else out.push(p.node !== e.leader ? 'connected' : e.age_ms < 0 ? 'leads' : `heard ${duration(e.age_ms)} ago`);
  if (p.paused) out.push('paused');
  else if (!p.eligible) out.push('does not stand');
  return out;
}

function showStore(state) {
  const { reads, writes, failures, last_error: last } = state.election.requests;
  text('reads', String(reads));
  text('writes', String(writes));
  text('failures', String(failures));
  const a = state.node?.arbiter;
  text('store', !a ? '' : a.running
    ? `Arbiter ${a.name}, probe ${a.probe}${a.restarts ? `, started again ${a.restarts} times` : ''}.${failures && last ? ` Last failure: ${last}.` : ''}`
    : `The arbiter ${a.name} does not run: ${a.problem}.`);
  const problems = a ? [...(a.problems ?? []), ...(a.credentials?.problem ? [`Its credentials are not renewed: ${a.credentials.problem}`] : [])] : [];
  $('store-trouble').hidden = !problems.length;
  text('store-trouble', problems.map((p) => p.replace(/\.?$/, '.')).join(' '));
  if (state.node) text('about', `electd ${state.node.version} on ${state.node.node}`);
}

function showOperate(e) {
  for (const n of document.querySelectorAll('.this-node')) text(n, e.node);
  $('pause').hidden = e.paused;
  $('resume').hidden = !e.paused;
  if (e.paused) text('paused-until', new Date(e.paused_until).toLocaleString());
  const able = [e.node, ...e.peers.filter((p) => p.elector && p.eligible && !p.paused).map((p) => p.node)].filter((n) => n !== e.leader);
  const select = $('target');
  const wanted = ['', ...able];
  if (wanted.join() === [...select.options].map((o) => o.value).join()) return;
  const before = select.value;
  select.replaceChildren(...wanted.map((n) => new Option(n || 'any node that can', n)));
  select.value = wanted.includes(before) ? before : '';
}

// announce says aloud when the leader changes, or is lost.
export function announce(before, after) {
  if (!before || before.election !== after.election) return;
  if (before.leader === after.leader && before.epoch === after.epoch) return;
  text('live', after.leader ? `${after.leader} leads ${after.election} at epoch ${after.epoch}` : `No leader is known in ${after.election}: ${after.why}`);
}

export function showElections(state, choose) {
  const nav = $('elections');
  const all = state.node?.elections ?? [];
  nav.hidden = all.length < 2;
  while (nav.children.length > all.length) nav.lastChild.remove();
  all.forEach((e, i) => {
    let b = nav.children[i];
    if (!b) {
      b = nav.appendChild(make('button', 'chip'));
      b.type = 'button';
      b.append(make('span', 'dot'), make('span', 'chip-name'), make('span', 'chip-leader'));
      b.addEventListener('click', () => choose(b.dataset.election));
    }
    b.dataset.election = e.election;
    b.dataset.now = e.role === 'broken' ? 'broken' : e.leading ? 'leader' : e.leader ? 'follower' : 'between';
    b.setAttribute('aria-pressed', String(e.election === state.chosen));
    text(b.children[1], e.election);
    text(b.children[2], e.leader || 'nobody');
  });
}

const shown = 60; // transitions in the list

export function showHistory(state) {
  $('history').replaceChildren(...state.history.slice(-shown).reverse().map(entry));
  $('missed').hidden = !state.missed;
  text('missed', state.missed ? { restarted: 'electd was restarted: what came before is in its log.', dropped: 'What came before is not kept any more.' }[state.missed.why] ?? '' : '');
  showStrip(state);
}

function entry(t) {
  const at = new Date(t.at);
  const item = make('li', `entry ${kind(t.to)}`);
  const time = make('time', 'at', day(at) + clock(at));
  time.dateTime = t.at;
  const what = make('p', 'what');
  what.append(make('strong', '', t.to.replace('-', ' ')), make('span', 'faint', ` epoch ${t.epoch}${t.to === 'following' && t.leader ? `, behind ${t.leader}` : ''}`));
  item.append(time, what, make('p', 'reason', sentence(t.reason)), make('p', 'took faint', `${t.from.replace('-', ' ')} for ${exact(t.took_ms)}`));
  return item;
}

function kind(phase) {
  return { leading: 'leader', following: 'follower', 'no-lease': 'between', fenced: 'fenced' }[phase] ?? 'between';
}

const span = 10 * 60 * 1000; // ms that the strip shows at most

// showStrip draws the phases of this node as a strip, the newest to the right.
export function showStrip(state) {
  const mine = state.history;
  const end = fresh(state) || !state.election ? Date.now() : Date.now() - (performance.now() - state.sent);
  const first = mine.length ? Date.parse(mine[0].at) - mine[0].took_ms : end;
  const begin = Math.max(end - span, first);
  const parts = [];
  mine.forEach((t, i) => {
    const from = Math.max(begin, Date.parse(t.at));
    const to = i + 1 < mine.length ? Date.parse(mine[i + 1].at) : end;
    if (to <= begin) return;
    const part = make('div', `part ${kind(t.to)}`);
    part.style.setProperty('--share', Math.max(to - from, 1));
    part.title = `${t.to.replace('-', ' ')} for ${exact(to - from)}`;
    parts.push(part);
  });
  $('strip').replaceChildren(...parts);
  text('strip-to', fresh(state) ? 'now' : 'last answer');
  text('strip-from', mine.length ? `${duration(end - begin)} ago` : '');
}
