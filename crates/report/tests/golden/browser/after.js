// Does what a reader does, and writes down what came of it.
{
  const found = { name: location.pathname.split('/').pop(), errors, width: innerWidth };
  const seen = element => element.getClientRects().length > 0;
  const one = (what, where = document) => [...where.querySelectorAll(what)].find(seen);
  const move = (target, x, y) => target.dispatchEvent(new PointerEvent('pointermove',
    { bubbles: true, clientX: x, clientY: y }));
  const tip = document.getElementById('tip');
  found.paper = getComputedStyle(document.body).backgroundColor;

  // Hover over a slot, or where there are none over a point of a line: the first that is seen.
  const dots = one('figure svg[data-y] .dots') || one('figure svg[role=img] [data-say]');
  if (dots) {
  const svg = dots.closest('svg'), box = svg.getBoundingClientRect();
  const scale = box.width / svg.viewBox.baseVal.width;
  const [x, y] = dots.getAttribute('d').match(/[\d.]+/g).map(Number);
  move(svg, box.left + x * scale, box.top + y * scale);
  found.tip = tip.textContent;
  const inside = tip.getBoundingClientRect();
  found.hover = !tip.hidden && /: \d[\d.]* (ns|µs|ms|s)$/.test(tip.textContent)
    && inside.left >= 0 && inside.right <= innerWidth;
  move(document.body, 1, 1);
  found.leave = tip.hidden;

  // Filter by the legend.
  const filter = dots.closest('figure').querySelector('.legend button');
  filter.click();
  const own = dots.closest('figure').querySelectorAll('svg [data-v="0"]');
  found.filter = filter.getAttribute('aria-pressed') === 'false' && ![...own].some(seen);
  filter.click();
  found.unfilter = filter.getAttribute('aria-pressed') === 'true' && [...own].some(seen);
  } else {
    // A page of tables alone.
    const none = !document.querySelector('.legend [data-v]');
    found.hover = found.leave = found.filter = found.unfilter = none;
  }

  // Labels do not touch, in no chart that is seen.
  const crossing = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const overlaps = () => {
    const told = [];
    for (const chart of document.querySelectorAll('figure svg[role=img]')) {
      if (!seen(chart)) continue;
      const texts = [...chart.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
      for (const [place, [a, at]] of texts.entries()) {
        for (const [b, bt] of texts.slice(place + 1)) {
          if (seen(a) && seen(b) && crossing(at, bt)) told.push(chart.id + ': ' + a.textContent + ' / ' + b.textContent);
        }
      }
    }
    return told;
  };
  found.overlaps = overlaps();

  // The other axis, where there is one: the highest point is where it was, and the labels keep apart.
  const axes = one('.axes');
  if (axes) {
    const [usual, other] = axes.parentNode.querySelectorAll('svg[data-y]');
    const high = chart => Math.min(...[...chart.querySelectorAll('.area')].map(path => path.getBBox().y));
    axes.click();
    found.axis = seen(other) && !seen(usual) && axes.getAttribute('aria-pressed') === 'true'
      && other.querySelectorAll('.y text').length > 2 && other.querySelector('.y text').textContent === '0';
    found.overlaps.push(...overlaps());
    const linear = high(other);
    axes.click();
    found.axis_back = !seen(other) && seen(usual) && Math.abs(high(usual) - linear) < 1;
  } else {
    found.axis = found.axis_back = !document.querySelector('svg[data-y].off');
  }

  // No scrolling sideways; and folded parts open for paper.
  found.fits = document.documentElement.scrollWidth <= innerWidth;
  dispatchEvent(new Event('beforeprint'));
  found.print = [...document.querySelectorAll('main>details')].every(fold => fold.open);
  found.overlaps.push(...overlaps());

  found.lessons = tryLessons();

  const tell = () => parent.postMessage(JSON.stringify(found), '*');
  // The rules of a library, where it is here: with a fold open, at the width of a desk.
  if (window.axe && innerWidth > 1000) {
    const first = document.querySelector('.try');
    if (first) first.open = true;
    axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'best-practice'], resultTypes: ['violations'] }).then(({ violations }) => {
      found.axe = violations.map(one => one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(' | '));
      tell();
    }, error => {
      found.axe = [String(error)];
      tell();
    });
  } else tell();
}
