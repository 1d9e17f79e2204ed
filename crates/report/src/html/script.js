// Optional: details under the pointer, filters, axes; folded parts are opened for printing.
const all = (what, where = document) => where.querySelectorAll(what);
// A button that is pressed or not, and what follows from it.
const toggle = (pressed, act, ...content) => {
  const made = document.createElement('button');
  const set = () => made.setAttribute('aria-pressed', pressed);
  made.append(...content);
  made.addEventListener('click', () => {
    act(pressed = !pressed);
    set();
  });
  set();
  return made;
};
const off = (mark, hide) => mark.classList.toggle('off', hide);
for (const item of all('.legend li[data-v]')) {
  const own = all('svg [data-v="' + item.dataset.v + '"]', item.closest('figure'));
  const show = shown => {
    for (const mark of own) off(mark, !shown);
  };
  item.append(toggle(true, show, ...item.childNodes));
}
// Corners of a path of steps, and back.
const corners = path => {
  let x = 0, y = 0;
  const steps = path.getAttribute('d').match(/-?[\d.]+/g).map(Number), places = [];
  while (steps.length) places.push([x += steps.shift(), y += steps.shift()]);
  return places;
};
const steps = places => 'M' + places.map(([x, y], at) => {
  const [a, b] = at ? places[at - 1] : [0, 0];
  return (x - a).toFixed(2) + ' ' + (y - b).toFixed(2);
}).join('l');
const units = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [0, ' ns']];
const time = ns => {
  const [size, unit] = units.find(([size]) => ns >= size);
  return +(ns / (size || 1)).toPrecision(3) + unit;
};
const scale = svg => svg.dataset.y.split(' ').map(Number);
const valueAt = (y, [low, high, from, to, log]) => {
  const v = low + (y - from) / (to - from) * (high - low);
  return log ? Math.exp(v) : v;
};
// The same lines on a linear axis, which begins at zero.
const linear = svg => {
  const made = svg.cloneNode(true), of = scale(svg), [, high, from, to, , left, right] = of;
  for (const named of [made, ...all('[id]', made)]) named.removeAttribute('id');
  const top = Math.exp(high), at = v => from + v / top * (to - from);
  for (const path of all('[data-v] path', made))
    path.setAttribute('d', steps(corners(path).map(([x, y]) => [x, at(valueAt(y, of))])));
  const rows = made.querySelector('.y'), [grid, label] = rows.childNodes;
  const rough = top / 5, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(nice => nice * decade >= rough) * decade;
  let lines = '';
  rows.replaceChildren(grid);
  for (let v = 0; v <= top * 1.001; v += step) {
    const text = label.cloneNode();
    text.setAttribute('y', at(v) + 4);
    text.textContent = v ? time(v) : 0;
    lines += 'M' + left + ' ' + at(v) + 'H' + right;
    rows.append(text);
  }
  grid.setAttribute('d', lines);
  return made;
};
for (const svg of all('svg[data-y]')) {
  const of = scale(svg);
  // Lines alone have ends of their axis too.
  if (of.length < 7 || !of[4]) continue;
  const other = linear(svg);
  const show = shown => {
    off(svg, shown);
    off(other, !shown);
  };
  show(false);
  const made = toggle(false, show, 'linear axis');
  made.className = 'axes';
  svg.before(made);
  svg.after(other);
}
const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);
const near = (svg, x, y) => {
  let best = 18 * svg.viewBox.baseVal.width / svg.getBoundingClientRect().width, text = '';
  for (const path of all('.dots[data-v],[data-say]', svg)) {
    if (path.closest('.off')) continue;
    const { v } = path.closest('[data-v]').dataset, say = path.dataset.say?.split('|');
    corners(path).forEach(([a, b], at) => {
      const far = Math.hypot(a - x, b - y);
      if (far >= best) return;
      best = far;
      text = svg.closest('figure').querySelector('.legend [data-v="' + v + '"]').textContent +
        (say ? ' ' + (say[at] || say[0]) : ': ' + time(valueAt(b, scale(svg))));
    });
  }
  return text;
};
const hover = event => {
  const svg = event.target.closest('svg[role=img]');
  let text = '';
  if (svg) {
    const box = svg.getBoundingClientRect(), size = svg.viewBox.baseVal.width / box.width;
    text = near(svg, (event.clientX - box.left) * size, (event.clientY - box.top) * size);
  }
  tip.hidden = !text;
  tip.textContent = text;
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = event.clientY + 16 + 'px';
};
addEventListener('pointermove', hover);
addEventListener('pointerdown', hover);
addEventListener('beforeprint', () => {
  for (const fold of all('main>details')) fold.open = true;
});
