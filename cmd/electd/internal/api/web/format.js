// How figures are written. Values in, text out.

// duration writes milliseconds as a person would say them, with a resolution
// that does not pretend.
export function duration(ms) {
  if (ms < 0) return '–';
  if (ms < 1000) return `${Math.round(ms / 10) * 10} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor(s / 3600) % 24} h`;
}

// running writes a time that runs: always the same number of digits, so that
// nothing jumps.
export function running(ms) {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(2)} s`;
  return duration(ms);
}

// exact writes how long something took.
export function exact(ms) {
  return ms < 1000 ? `${ms} ms` : duration(ms);
}

export function clock(at) {
  return at.toLocaleTimeString([], { hour12: false }) + '.' + String(at.getMilliseconds()).padStart(3, '0');
}

export function day(at) {
  const today = new Date();
  return at.toDateString() === today.toDateString() ? '' : at.toLocaleDateString([], { month: 'short', day: 'numeric' }) + ' ';
}

function two(n) {
  return String(n).padStart(2, '0');
}
