// A tree of callers: frames by name, and what was found of the one that is clicked.
for (const figure of all('figure:has(.flame)')) {
  const said = document.createElement('output'), wanted = document.createElement('input');
  const say = frame => frame.querySelector('title').textContent;
  wanted.type = 'search';
  wanted.placeholder = 'Find a function';
  wanted.addEventListener('input', () => {
    const text = wanted.value.toLowerCase();
    for (const frame of all('.flame', figure))
      frame.classList.toggle('found', text && say(frame).toLowerCase().includes(text));
  });
  const command = [...all('pre')].at(-1)?.textContent;
  figure.addEventListener('click', event => {
    const frame = event.target.closest('.flame');
    if (frame) said.textContent = say(frame) + (command ? ' · again: ' + command : '');
  });
  figure.querySelector('figcaption').append(' ', wanted);
  figure.querySelector('svg').after(said);
}
