// Guess first. Lengths on the axis are doublings: 1 is twice as slow, -1 twice as fast.
const place = document.getElementById('class');
const asked = rows.filter(row => row.interval);
const reach = 4, atDoubling = v => 280 + 260 * Math.max(-reach, Math.min(reach, v)) / reach;
const times = v => Math.abs(v) < .005 ? 'as fast as' : digits(2 ** Math.abs(v)) + (v < 0 ? 'x faster than' : 'x slower than');
// 100 for a range of no width that holds the answer; a miss costs 20 times its distance.
const points = ([guess, give], truth) => {
  const miss = Math.max(0, Math.abs(truth - guess) - give);
  return Math.max(0, Math.round(100 - 25 * (2 * give + 20 * miss)));
};
const span = ([guess, give], y) => 'M' + atDoubling(guess - give) + ' ' + y + 'H' + atDoubling(guess + give) + 'M' + atDoubling(guess) + ' ' + (y - 6) + 'v12';
const question = row => {
  const box = make('fieldset'), truth = Math.log2(row.ratio);
  box.append(make('legend', row.label + ': ' + row.subject + ' against ' + row.reference));
  const svg = draw('svg', box, { viewBox: '0 0 560 64', role: 'img', 'aria-label': 'Your guess on an axis from 16x faster to 16x slower' });
  for (let v = -reach; v <= reach; v++) {
    draw('path', svg, { class: v ? 'grid' : 'one', d: 'M' + atDoubling(v) + ' 8V40' });
    if (v % 2 === 0) draw('text', svg, { class: 'tick ' + (v === -reach ? '' : v === reach ? 'e' : 'm'), x: v === -reach ? 0 : v === reach ? 560 : atDoubling(v), y: 56 }).textContent = v ? 2 ** Math.abs(v) + 'x' + (v < 0 ? ' faster' : ' slower') : 'equal';
  }
  const own = draw('path', svg, { class: 'own', d: '' });
  const range = (name, min, value) => {
    const made = make('input', '', { type: 'range', min, max: reach, step: .02, value }), label = make('label', name + ' ');
    label.append(made);
    box.append(label);
    made.addEventListener('input', show);
    return made;
  };
  const read = () => [+guess.value, +give.value];
  const show = () => {
    own.setAttribute('d', span(read(), 24));
    guess.setAttribute('aria-valuetext', row.subject + ' ' + times(+guess.value) + ' ' + row.reference);
    give.setAttribute('aria-valuetext', 'give or take ' + digits(2 ** give.value) + 'x');
    said.textContent = guess.getAttribute('aria-valuetext') + ', ' + give.getAttribute('aria-valuetext');
  };
  const said = make('output');
  const guess = range('my guess', -reach, 0), give = range('give or take', 0, 1);
  box.append(said);
  const drag = event => {
    if (event.buttons !== 1) return;
    const shape = svg.getBoundingClientRect();
    guess.value = ((event.clientX - shape.left) / shape.width * 560 - 280) / 260 * reach;
    show();
  };
  svg.addEventListener('pointerdown', drag);
  svg.addEventListener('pointermove', drag);
  show();
  place.append(box);
  const reveal = () => {
    const ends = row.interval.map(Math.log2), got = points(read(), truth);
    guess.disabled = give.disabled = true;
    draw('path', svg, { class: 'measured', d: 'M' + atDoubling(ends[0]) + ' 24H' + atDoubling(ends[1]) + 'M' + atDoubling(truth) + ' 12v24' });
    said.textContent = 'Measured: ' + row.subject + ' ' + times(truth) + ' ' + row.reference + '. Your range ' +
      (Math.abs(truth - read()[0]) <= read()[1] ? 'holds' : 'misses') + ' it: ' + got + ' points.';
    return got;
  };
  // Guesses of others below the own one.
  const others = all => {
    const high = 64 + 10 * all.length, y = at => 66 + 10 * at;
    svg.setAttribute('viewBox', '0 0 560 ' + high);
    for (const [at, one] of all.entries()) draw('path', svg, { class: 'other', d: span(one, y(at)) });
    draw('path', svg, { class: 'measured', d: 'M' + atDoubling(truth) + ' 60V' + high });
    const held = all.filter(one => Math.abs(truth - one[0]) <= one[1]).length;
    said.textContent = row.label + ': ' + held + ' of ' + all.length + ' ranges hold the measured ratio.';
  };
  return { read, reveal, others };
};
let questions;
const begin = () => {
  if (location.hash !== '#class' || !asked.length || questions) return;
  document.body.classList.add('guessing');
  questions = asked.map(question);
  const name = make('input', '', { size: 12, maxLength: 40 }), label = make('label', 'My name ');
  label.append(name);
  const written = make('textarea', '', { rows: 3, readOnly: true }), pasted = make('textarea', '', { rows: 4 });
  written.setAttribute('aria-label', 'My guesses, to be copied');
  const score = () => {
    const got = questions.reduce((all, one) => all + one.reveal(), 0);
    written.value = JSON.stringify(['flowgauge guess', seed, name.value, questions.map(one => one.read())]);
    document.body.classList.remove('guessing');
    scored.hidden = true;
    for (const one of after) one.hidden = false;
    say(got + ' of ' + 100 * questions.length + ' points. The page is no longer hidden. Your guesses, for the class: copy the line.');
  };
  const gather = () => {
    const lines = pasted.value.split('\n').filter(line => line.trim());
    const all = lines.map(line => {
      try {
        const [what, of, , guesses] = JSON.parse(line), isPair = one => one.length === 2 && one.every(Number.isFinite);
        return what === 'flowgauge guess' && of === seed && guesses.length === questions.length && guesses.every(isPair) ? guesses : null;
      } catch {
        return null;
      }
    });
    const known = all.filter(Boolean);
    questions.forEach((one, at) => one.others(known.map(guesses => guesses[at])));
    say(known.length + ' guesses of the class' + (known.length < all.length ? '; ' + (all.length - known.length) + ' lines are none of this page' : '') + '.');
  };
  const scored = button('Show the answers and my points', score);
  const paste = make('label', 'Guesses of the class, one line each ');
  paste.append(pasted);
  const after = [written, paste, button('Draw all guesses', gather)];
  for (const one of after) one.hidden = true;
  const say = controls(place, label, scored, ...after);
};
addEventListener('hashchange', begin);
begin();
