// What an operator may do: shown once the daemon says that it is allowed.

import * as api from './api.js';

const $ = (id) => document.getElementById(id);

export function operate(state, done) {
  const dialog = $('key');

  async function unlock() {
    const { said } = await api.access();
    if (said.allowed) {
      $('as').textContent = `as ${said.as}`;
      $('operate').hidden = false;
      $('unlock').textContent = 'Lock';
    }
    return said.allowed;
  }

  function lock() {
    api.key.forget();
    $('operate').hidden = true;
    $('unlock').textContent = 'Operate…';
    $('result').textContent = '';
  }

  $('unlock').addEventListener('click', async () => {
    if (!$('operate').hidden) return lock();
    try {
      if (await unlock()) return reveal(); // the daemon knows who asks without a token
    } catch { /* then the token is asked for, and the next question says what is wrong */ }
    $('key-error').hidden = true;
    $('token').value = '';
    dialog.showModal();
  });

  $('key-cancel').addEventListener('click', () => dialog.close());

  $('key-form').addEventListener('submit', async (e) => {
    e.preventDefault();
    api.key.use($('token').value.trim());
    try {
      if (await unlock()) {
        $('token').value = '';
        dialog.close();
        return reveal();
      }
      complain('The daemon does not know this token.');
    } catch {
      complain('The daemon does not answer.');
    }
    api.key.forget();
  });

  function complain(text) {
    $('key-error').textContent = text;
    $('key-error').hidden = false;
    $('token').select();
  }

  function reveal() {
    $('operate').scrollIntoView({ block: 'nearest' });
    $('target').focus();
  }

  // act asks once more before it does anything, in the button that was pressed.
  function act(form, sure, request, tell) {
    const button = form.querySelector('button');
    const name = button.textContent;
    let asked = 0;
    const calm = () => { clearTimeout(asked); asked = 0; button.textContent = name; button.classList.remove('sure'); };
    button.addEventListener('blur', () => { if (asked) calm(); });
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      if (!asked) {
        button.textContent = sure();
        button.classList.add('sure');
        asked = setTimeout(calm, 6000);
        return;
      }
      calm();
      button.disabled = true;
      $('result').classList.remove('bad');
      $('result').textContent = 'Asking…';
      try {
        const { said } = await request();
        $('result').textContent = tell(said);
      } catch (err) {
        $('result').classList.add('bad');
        $('result').textContent = err instanceof api.Refused ? `Refused: ${err.message}.` : 'No answer: it may have been done. Look above.';
        if (err.status === 401) lock();
      }
      button.disabled = false;
      done();
    });
  }

  const outcome = (said, text) => ({
    done: text,
    forwarded: `${said.to} was asked to.`,
    unknown: 'It was not over in time, and may be done yet. Look above.',
  })[said.outcome];

  act($('step-down'), () => `Yes, ${state.election?.leader || 'the leader'} gives up`,
    () => api.stepDown(state.chosen, $('target').value), (said) => outcome(said, 'Leadership is given up.'));
  act($('pause'), () => `Yes, pause ${state.election?.node ?? ''}`,
    () => api.pause(state.chosen, Number($('for').value)), (said) => outcome(said, 'Paused.'));
  act($('resume'), () => `Yes, resume ${state.election?.node ?? ''}`,
    () => api.resume(state.chosen), (said) => outcome(said, 'It stands again.'));
}
