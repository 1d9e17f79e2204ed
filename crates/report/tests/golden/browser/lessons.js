// Guesses as a class does.
const guess = (rows, is, press) => {
  const place = document.getElementById('class'), asked = (rows || []).filter(row => row.interval);
  if (!asked.length) return;
  location.hash = '#class';
  dispatchEvent(new Event('hashchange'));
  const seen = one => one.getClientRects().length > 0;
  const hidden = () => ['answers', 'studies'].every(id => !seen(document.getElementById(id)));
  is(hidden() && seen(place), 'answers are hidden');
  is(!/\d x? (faster|slower) than/.test(place.innerText.replace(/1?\dx (faster|slower)/g, '')), 'no ratio is given away');
  const boxes = [...place.querySelectorAll('fieldset')];
  is(boxes.length === asked.length, 'a question a row');
  boxes.forEach((box, at) => {
    const [own, give] = box.querySelectorAll('input');
    own.value = Math.log2(asked[at].ratio) + (at ? 0 : 1);
    give.value = .5;
    for (const one of [own, give]) one.dispatchEvent(new Event('input'));
    is(/x (faster|slower)|as fast as/.test(own.getAttribute('aria-valuetext')), 'the guess is said');
  });
  const box = boxes[0].querySelector('svg').getBoundingClientRect();
  const before = boxes[0].querySelector('input').value;
  boxes[0].querySelector('svg').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, buttons: 1, clientX: box.left + box.width / 4, clientY: box.top + 9 }));
  is(boxes[0].querySelector('input').value !== before, 'the marker is dragged');
  press(place, 'Show the answers');
  is(!hidden(), 'answers are shown');
  is(boxes.slice(1).every(one => /holds it: (\d+) points/.test(one.innerText)), 'points ' + place.innerText);
  const [line, pasted] = place.querySelectorAll('textarea');
  pasted.value = line.value + '\n' + line.value + '\nnonsense\n["flowgauge guess","1","",[[1,2]]]';
  press(place, 'Draw all');
  is(/^2 guesses of the class; 2 lines/.test(place.querySelector('[role=status]').textContent), place.querySelector('[role=status]').textContent);
  is(place.querySelectorAll('.other').length === 2 * asked.length, 'guesses of others');
};
// Tries each lesson of the page as a reader does, and writes down what came of it.
const tryLessons = () => {
  const told = { rows: 0, coins: 0, sweeps: 0, laws: 0, films: 0, frame_ms: 0, wrong: [] };
  const is = (right, what) => {
    if (!right) told.wrong.push(what);
  };
  const { rows } = JSON.parse(document.getElementById('lesson')?.textContent || '{}');
  const press = (part, text) => [...part.querySelectorAll('button')].find(one => one.textContent.startsWith(text)).click();
  // The same tosses each time.
  let state = 1;
  Math.random = () => (state = state * 16807 % 2147483647) / 2147483647;
  for (const fold of document.querySelectorAll('.try')) {
    told.rows++;
    fold.open = true;
    const row = rows[fold.dataset.row], said = part => part.querySelector('[role=status]').textContent;
    const coin = fold.querySelector('.coin');
    if (coin) {
      told.coins++;
      const dots = () => (coin.querySelector('.drops').getAttribute('d').match(/M/g) || []).length;
      const before = coin.querySelector('.rounds').getAttribute('d');
      is(before.split('M').length - 1 === row.rounds.length, 'a stroke a round');
      press(coin, 'Toss once');
      is(dots() === 1 && / 1 toss: /.test(said(coin)), 'one toss: ' + said(coin));
      press(coin, 'Toss 1,000');
      is(dots() === 1001 && /1001 tosses/.test(said(coin)), 'many tosses: ' + said(coin));
      const clear = +said(coin).match(/tosses: (\d+)/)[1] / 1001;
      is(Math.abs(clear - row.p) < .06, 'share ' + clear + ' of p ' + row.p);
      press(coin, 'Start again');
      is(dots() === 0, 'again');
      const strokes = text => text.match(/-?[\d.]+/g).map(Number);
      const now = strokes(coin.querySelector('.rounds').getAttribute('d'));
      is(strokes(before).every((one, at) => Math.abs(one - now[at]) < .2), 'the rounds as they were');
    }
    for (const varied of fold.querySelectorAll('.varied')) {
      told.sweeps++;
      const slider = varied.querySelector('input'), { points } = row.varied[varied.dataset.sweep];
      const slide = share => {
        slider.value = 1000 * share;
        slider.dispatchEvent(new Event('input'));
        return said(varied);
      };
      for (const [share, , shown, words] of points) {
        const text = slide(share);
        is(text.includes(shown + ' (measured)') && text.includes(words), 'at a point: ' + text);
      }
      const [a, b] = points, text = slide((a[0] + b[0]) / 2);
      told.laws += row.varied[varied.dataset.sweep].curve.length > 0;
      if (row.varied[varied.dataset.sweep].curve.length) is(/by the law/.test(text) && /times as long/.test(text), 'by a law: ' + text);
      else is(/between/.test(text) && (a[4] === b[4] ? /neighbours/ : /changes here/).test(text), 'between points: ' + text);
      slide(7);
      is(said(varied).includes(points.at(-1)[2] + ' (measured)'), 'never beyond');
    }
    const film = fold.querySelector('.film');
    if (film) {
      told.films++;
      const slider = film.querySelector('input'), cover = film.querySelector('.cover');
      const scrub = value => {
        slider.value = value;
        const began = performance.now();
        slider.dispatchEvent(new Event('input'));
        told.frame_ms = Math.max(told.frame_ms, performance.now() - began);
        return said(film);
      };
      is(/being created/.test(scrub(0)) && +cover.getAttribute('width') === 521, 'the beginning: ' + said(film));
      is(scrub(1000).includes(': over') && +cover.getAttribute('width') === 0, 'the end: ' + said(film));
      is(film.querySelectorAll('[class^=on-]').length > 0, 'flows');
      press(film, 'Play');
      is(film.querySelector('button').textContent === 'Stop', 'it plays');
      press(film, 'Stop');
    }
    const again = fold.querySelector('.again');
    is(/^flowgauge /.test(again.querySelector('code').textContent), 'a command');
    press(again, 'Copy');
    is(String(getSelection()).includes('flowgauge'), 'selected');
    const file = again.querySelector('a[download]');
    const table = row.table || row.rounds && [[0, 0, 0], ...row.rounds];
    is(!file === !table, 'a file of the rounds');
    if (file) {
      const lines = decodeURIComponent(file.href.split(',').slice(1).join(',')).trim().split('\n');
      is(lines.length === table.length && lines[1].split(',').length === table[0].length, 'lines ' + lines.length);
    }
  }
  guess(rows, is, press);
  // Names, contrast, order of headings and of the focus, of what can be tried.
  const shade = text => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((all, v, at) => all + v * [.2126, .7152, .0722][at], 0);
  const behind = one => {
    const own = shade(getComputedStyle(one).backgroundColor);
    return own.length === 4 && own[3] === 0 && one.parentElement ? behind(one.parentElement) : own;
  };
  for (const one of document.querySelectorAll('.try :is(summary,button,a,p,h3,input,label,code),.guess :is(button,p,label,input)')) {
    const [a, b] = [light(shade(getComputedStyle(one).color)), light(behind(one))].sort((a, b) => b - a);
    if (one.textContent.trim()) is((a + .05) / (b + .05) >= 4.5, 'contrast of ' + one.textContent.slice(0, 40));
    if (one.matches('summary,button,a')) is(one.textContent.trim() !== '', 'a name');
    if (one.matches('input')) is(one.labels.length > 0 || one.getAttribute('aria-label'), 'a label');
    is(one.tabIndex <= 0, 'order');
  }
  for (const one of document.querySelectorAll('.try svg[role=img]')) is(one.getAttribute('aria-label'), 'a picture has a name');
  is(document.documentElement.scrollWidth <= innerWidth, 'no scrolling sideways');
  for (const fold of document.querySelectorAll('.try')) fold.open = false;
  return told;
};
