// What would change the answer: a slider over measured points, never beyond them.
lesson('varied', (part, row) => {
  const { parameter, log, points, floor, curve } = row.varied[part.dataset.sweep], here = part.querySelector('.here');
  const [first, last] = [points[0], points.at(-1)];
  const value = share => {
    const between = (a, b) => a + (b - a) * share;
    const v = log ? Math.exp(between(Math.log(first[1]), Math.log(last[1]))) : between(first[1], last[1]);
    return +v.toPrecision(2);
  };
  const verdict = share => {
    const at = points.find(point => Math.abs(point[0] - share) < .02);
    if (at) return [at[0], 'At ' + parameter + ' ' + at[2] + ' (measured): ' + row.subject + ' ' + at[3] + '.', at[4]];
    if (curve.length) {
      // Between two steps the wider interval: never more than the law bears.
      const step = share * (curve.length - 1), near = [curve[Math.floor(step)], curve[Math.ceil(step)]];
      const low = Math.min(...near.map(on => on[0])), high = Math.max(...near.map(on => on[2])), ratio = Math.sqrt(near[0][1] * near[1][1]);
      const tone = low > 1 + floor ? 'slower' : high < 1 / (1 + floor) ? 'faster' : 'doubt';
      const same = low > 1 / (1 + floor) && high < 1 + floor;
      const words = same ? 'the same within ' + percent(floor) : tone === 'doubt' ? 'not known' : tone === 'slower' ? digits(ratio) + 'x slower' : digits(1 / ratio) + 'x faster';
      return [share, 'At ' + parameter + ' about ' + value(share).toLocaleString('en') + ', by the law through the points: ' + row.subject + ' ' + words +
        ' (' + digits(low) + ' to ' + digits(high) + ' times as long).', same ? '' : tone];
    }
    const next = points.findIndex(point => point[0] > share), [a, b] = [points[next - 1], points[next]];
    const where = 'At ' + parameter + ' about ' + value(share).toLocaleString('en') + ', between ' + a[2] + ' and ' + b[2] + ': ';
    const word = { faster: 'faster', slower: 'slower' }[a[4]] || 'neither faster nor slower, as far as is known';
    return a[4] === b[4] ? [share, where + row.subject + ' ' + word + ', as at both measured neighbours.', a[4]]
      : [share, where + 'the answer changes here; only a measurement says where.', 'doubt'];
  };
  const slider = make('input', '', { type: 'range', min: 0, max: 1000, value: 0 }), label = make('label', parameter + ' ');
  label.append(slider);
  const show = () => {
    const [share, text, tone] = verdict(slider.value / 1000);
    here.setAttribute('d', 'M' + (20 + 520 * share) + ' 8V156');
    here.setAttribute('class', 'here ' + tone);
    slider.setAttribute('aria-valuetext', text);
    say(text);
    part.lastChild.className = 'said verdict ' + tone;
  };
  slider.addEventListener('input', show);
  const say = controls(part, label);
  show();
});
