// One round as a film: a cover slides off the picture, slowly.
lesson('film', (part, row) => {
  const { total, sides } = row.film, svg = part.querySelector('svg'), now = part.querySelector('.now');
  const high = svg.viewBox.baseVal.height - 22;
  const cover = draw('rect', svg, { class: 'cover', y: 0, height: high, x: 560, width: 0 });
  svg.insertBefore(cover, now);
  svg.append(...svg.querySelectorAll('text'));
  const time = ns => ns >= 1e9 ? digits(ns / 1e9) + ' s' : ns >= 1e6 ? digits(ns / 1e6) + ' ms' : digits(ns / 1e3) + ' \u00b5s';
  // Spans of a side: from, to, lane, what it is doing.
  const spans = sides.map((_, place) => [...part.querySelectorAll('.side' + place + ' path')].flatMap(path =>
    [...path.getAttribute('d').matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)/g)].map(([, x, y, long]) => [+x, +x + +long, path.dataset.is])));
  const phase = ([, work, ends, end], at) => at < work ? 'being created' : at < ends ? 'at work' : at < end ? 'being joined' : 'over';
  const state = ({ name, marks }, place, at) => {
    const x = 20 + 520 * at / total, doing = {};
    for (const [from, to, what] of spans[place]) if (from <= x && x < to) doing[what] = (doing[what] || 0) + 1;
    return name + ': ' + phase(marks, at) + Object.entries(doing).map(([what, count]) => ', ' + count + ' ' + what).join('');
  };
  const slider = make('input', '', { type: 'range', min: 0, max: 1000, value: 1000 }), label = make('label', 'time ');
  label.append(slider);
  const show = share => {
    const x = 20 + 520 * share;
    now.setAttribute('d', share < 1 ? 'M' + x + ' 0V' + high : '');
    cover.setAttribute('x', share < 1 ? x : 560);
    cover.setAttribute('width', share < 1 ? 541 - x : 0);
  };
  const tell = share => {
    const text = time(share * total) + '. ' + sides.map((side, place) => state(side, place, share * total)).join('; ') + '.';
    slider.setAttribute('aria-valuetext', text);
    say(text);
  };
  // A thousandth of the speed, or what plays in at most a minute.
  const slower = [1e6, 1e5, 1e4, 1e3, 100, 10, 1].find(factor => total / 1e9 * factor <= 60) || 1;
  let from = null;
  const frame = at => {
    if (from === null) return;
    const share = Math.min(1, (at - from) / (total / 1e6 * slower));
    show(share);
    slider.value = 1000 * share;
    if (share < 1) return requestAnimationFrame(frame);
    from = null;
    play.textContent = playing;
    tell(1);
  };
  const playing = 'Play, ' + slower.toLocaleString('en') + ' times as slow';
  const play = button(playing, () => {
    const begins = from === null;
    from = begins ? performance.now() - (slider.value < 1000 ? slider.value / 1000 * total / 1e6 * slower : 0) : null;
    play.textContent = begins ? 'Stop' : playing;
    if (begins) requestAnimationFrame(frame);
    else tell(slider.value / 1000);
  });
  slider.addEventListener('input', () => {
    from = null;
    play.textContent = playing;
    show(slider.value / 1000);
    tell(slider.value / 1000);
  });
  const say = controls(part, ...still ? [] : [play], label);
});
