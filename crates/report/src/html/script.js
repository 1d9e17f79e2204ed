// Optional: details under the pointer, filters, axes; folded parts are opened for printing.
const all = (what, where = document) => where.querySelectorAll(what);
const button = (place, act, ...content) => {
  const made = document.createElement('button');
  made.type = 'button';
  made.append(...content);
  made.addEventListener('click', () => act(made));
  place.append(made);
  return made;
};
for (const item of all('.legend li[data-v]')) {
  const toggle = made => {
    const hide = made.getAttribute('aria-pressed') === 'true';
    made.setAttribute('aria-pressed', !hide);
    const own = all('svg [data-v="' + item.dataset.v + '"]', item.closest('figure'));
    for (const mark of own) mark.classList.toggle('off', hide);
  };
  button(item, toggle, ...item.childNodes).setAttribute('aria-pressed', true);
}
for (const other of all('.other')) {
  const usual = all(':scope > .wide, :scope > .narrow', other.parentNode);
  const name = other.dataset.axis;
  const show = made => {
    other.hidden = !other.hidden;
    for (const part of usual) part.hidden = !other.hidden;
    made.setAttribute('aria-pressed', !other.hidden);
  };
  const made = button(other.previousElementSibling.parentNode, show, name + ' axis');
  made.className = 'axes';
  made.setAttribute('aria-pressed', false);
  other.before(made);
}
const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);
// Titles would be shown a second time by the browser itself.
const said = new Map();
for (const title of all('figure svg[role=img] title')) {
  const text = document.createElementNS(title.namespaceURI, 'desc');
  text.id = title.id;
  text.textContent = title.textContent;
  title.replaceWith(text);
  if (!text.id) said.set(text.parentNode, text.textContent);
}
const units = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [0, ' ns']];
const time = ns => {
  const [size, unit] = units.find(([size]) => ns >= size);
  return +(ns / (size || 1)).toPrecision(3) + unit;
};
const near = (svg, x, y) => {
  let best = 18, text = '';
  const look = (a, b, tell) => {
    const far = Math.hypot(a - x, b - y);
    if (far < best) [best, text] = [far, tell()];
  };
  for (const mark of all('.mark', svg)) {
    if (!said.has(mark) || mark.closest('.off')) continue;
    const box = mark.getBBox();
    look(box.x + box.width / 2, box.y + box.height / 2, () => said.get(mark));
  }
  for (const dots of all('.dots:not(.off)', svg)) {
    const [low, high, from, to, log] = dots.dataset.y.split(' ').map(Number);
    const label = svg.closest('figure').querySelector('.legend [data-v="' + dots.dataset.v + '"]');
    let a = 0, b = 0;
    for (const step of dots.getAttribute('d').slice(1).split('l')) {
      const [right, down] = step.split(' ').map(Number);
      look(a += right, b += down, () => {
        const v = low + (b - from) / (to - from) * (high - low);
        return label.textContent.trim() + ': ' + time(log ? Math.exp(v) : v);
      });
    }
  }
  return text;
};
const hover = event => {
  const svg = event.target.closest('figure svg[role=img]');
  let text = '';
  if (svg) {
    const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
    text = said.get(event.target) ||
      near(svg, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  }
  tip.hidden = !text;
  tip.textContent = text;
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = event.clientY + 16 + 'px';
};
addEventListener('pointermove', hover);
addEventListener('pointerdown', hover);
addEventListener('beforeprint', () => {
  for (const fold of all('details')) fold.open = true;
});
