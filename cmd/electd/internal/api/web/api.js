// Talks to the daemon that this page came from.

let token = ''; // in memory only: it is gone with the page

export const key = {
  use(t) { token = t; },
  forget() { token = ''; },
  known() { return token !== ''; },
};

// Refused is what the daemon said when it said no.
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// ask sends a request and returns the answer, and when the request was sent: what
// the answer says counts from there.
async function ask(method, path, body) {
  const sent = performance.now();
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store', signal: AbortSignal.timeout(method === 'GET' ? 3000 : 30_000),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, said.error);
  return { sent, said };
}

const path = (election, rest = '') => `v1/elections/${encodeURIComponent(election)}${rest}`;

export const node = () => ask('GET', 'v1/node');
export const election = (name) => ask('GET', path(name));
export const access = () => ask('GET', 'v1/access');
export const stepDown = (name, to) => ask('POST', path(name, '/step-down'), to ? { to } : {});
export const pause = (name, ms) => ask('POST', path(name, '/pause'), { for_ms: ms });
export const resume = (name) => ask('POST', path(name, '/resume'));

// follow tells every transition of an election, those that are kept first, until
// the function that it returns is called. The browser makes a lost connection anew
// and resumes by the last id.
export function follow(name, { transition, missed, changed }) {
  let stream;
  let again = 0;
  const open = () => {
    stream = new EventSource(`v1/events?election=${encodeURIComponent(name)}`);
    stream.addEventListener('transition', (e) => transition(JSON.parse(e.data), e.lastEventId.split('.')[0]));
    stream.addEventListener('missed', (e) => missed(JSON.parse(e.data)));
    stream.addEventListener('open', changed);
    stream.addEventListener('error', () => {
      changed();
      // A browser gives up where the answer was no stream: ask again by ourselves.
      if (stream.readyState === EventSource.CLOSED) again = setTimeout(open, 2000);
    });
  };
  open();
  return () => { clearTimeout(again); stream.close(); };
}
