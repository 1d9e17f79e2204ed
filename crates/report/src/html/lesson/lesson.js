// What every lesson needs: its row, its buttons, and a line that is read aloud.
const { seed, rows } = JSON.parse(document.getElementById('lesson').textContent);
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
const make = (name, text = '', more = {}) => Object.assign(document.createElement(name), { textContent: text, ...more });
const button = (text, act) => {
  const made = make('button', text, { type: 'button' });
  made.addEventListener('click', act);
  return made;
};
const controls = (part, ...made) => {
  const line = make('p', '', { className: 'controls' }), said = make('p', '', { className: 'said' });
  said.setAttribute('role', 'status');
  line.append(...made);
  part.append(line, said);
  return text => {
    said.textContent = text;
  };
};
const digits = value => String(+value.toPrecision(3));
const percent = share => share && share < 1e-6 ? 'less than 0.0001 %' : digits(100 * share) + ' %';
const lesson = (name, build) => {
  for (const part of document.querySelectorAll('.try .' + name)) build(part, rows[part.closest('.try').dataset.row]);
};
const draw = (name, parent, more) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  parent.append(made);
  return made;
};
