// Optional: legends become filters, and what is folded is opened before printing.
for (const item of document.querySelectorAll('.legend li[data-v]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.setAttribute('aria-pressed', 'true');
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener('click', () => {
    const hidden = button.getAttribute('aria-pressed') === 'true';
    button.setAttribute('aria-pressed', String(!hidden));
    const own = '[data-v="' + item.dataset.v + '"]';
    for (const mark of item.closest('figure').querySelectorAll('svg ' + own)) {
      mark.classList.toggle('off', hidden);
    }
  });
}
addEventListener('beforeprint', () => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
});
