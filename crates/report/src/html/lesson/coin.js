// Be the coin. Lengths are those of the picture.
lesson('coin', (part, row) => {
  const d = row.rounds.map(([, r, s]) => Math.log(s) - Math.log(r)), n = d.length, most = n * (n + 1) / 2;
  const ranks = [];
  d.map((_, at) => at).sort((a, b) => Math.abs(d[a]) - Math.abs(d[b])).forEach((at, rank) => {
    ranks[at] = rank + 1;
  });
  const sum = flips => d.reduce((all, one, at) => all + (one * flips[at] > 0 ? ranks[at] : 0), 0);
  // Walsh averages on either side of zero: as the p-value counts them.
  let above = 0, below = 0;
  d.forEach((a, at) => d.slice(at).forEach(b => {
    above += a + b >= 0;
    below += a + b <= 0;
  }));
  const edge = Math.min(above, below), isClear = w => Math.min(w, most - w) <= edge;
  const inBar = Math.ceil((most + 1) / 41), width = 520 * inBar / (most + 1);
  const rounds = part.querySelector('.rounds'), drops = part.querySelector('.drops'), largest = Math.max(...d.map(Math.abs));
  const strip = flips => rounds.setAttribute('d',
    d.map((one, at) => 'M' + (20 + 520 * (at + .5) / n) + ' 36v' + -one * flips[at] / largest * 28).join(''));
  // The highest bar of the picture is 90 high: what dots are stacked to as they become many.
  const high = part.querySelector('.falls').getAttribute('d').match(/v-?[\d.]+/g).reduce((all, v) => all - v.slice(1), 0) / 90;
  let bars = [], deals = 0, clear = 0;
  const draw = () => {
    const pitch = Math.min(8, 90 / Math.max(deals / high, ...bars.filter(Boolean)));
    drops.setAttribute('d', bars.map((count, bar) => {
      let dots = '';
      for (let at = 0; at < count; at++) dots += 'M' + (20 + (bar + .5) * width).toFixed(1) + ' ' + (177 - at * pitch).toFixed(1) + 'h0';
      return dots;
    }).join(''));
  };
  const deal = () => {
    const flips = d.map(() => Math.random() < .5 ? 1 : -1), w = sum(flips), bar = Math.floor(w / inBar);
    bars[bar] = (bars[bar] || 0) + 1;
    deals++;
    clear += isClear(w);
    return flips;
  };
  const tell = flips => say(
    (flips ? flips.filter((flip, at) => d[at] * flip < 0).length + ' of ' + n + ' rounds for ' + row.subject + '. ' : '') +
    deals + (deals === 1 ? ' toss: ' : ' tosses: ') + clear + ' (' + percent(clear / deals) + ') at least as clear as this run; of all falls ' + percent(row.p) + '.');
  const fall = flips => {
    const dot = drops.cloneNode();
    dot.setAttribute('d', 'M' + (20 + (Math.floor(sum(flips) / inBar) + .5) * width) + ' 80h0');
    drops.after(dot);
    dot.animate([{ transform: 'none' }, { transform: 'translateY(97px)' }], { duration: 400, easing: 'ease-in' }).onfinish = () => dot.remove();
  };
  const once = () => {
    const flips = deal();
    strip(flips);
    draw();
    if (!still) fall(flips);
    tell(flips);
  };
  const often = () => {
    for (let at = 0; at < 1000; at++) deal();
    draw();
    tell();
  };
  const anew = () => {
    bars = [];
    deals = clear = 0;
    strip(d.map(() => 1));
    draw();
    say('The rounds of this run: ' + d.filter(one => one < 0).length + ' of ' + n + ' for ' + row.subject + '.');
  };
  const say = controls(part, button('Toss once', once), button('Toss 1,000 times', often), button('Start again', anew));
});
