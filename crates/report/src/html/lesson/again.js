// Take it along: the command to the clipboard, the rounds as a file.
lesson('again', (part, row) => {
  const code = part.querySelector('code');
  const select = () => getSelection().selectAllChildren(code);
  const copy = button('Copy the command', () => {
    select();
    const copied = navigator.clipboard ? navigator.clipboard.writeText(code.textContent) : Promise.reject();
    copied.then(() => say('Copied.'), () => say('Selected: copy it with the keyboard.'));
  });
  const made = [copy];
  if (row.rounds) {
    const csv = 'round,' + ['reference', 'subject'].map(side => '"' + row[side].replaceAll('"', '""') + ' (ns)"').join() + '\n' +
      row.rounds.map(round => round.join()).join('\n') + '\n';
    const name = (row.label + ' ' + row.case).replace(/\W+/g, '-') + '.csv';
    made.push(make('a', 'Download its ' + row.rounds.length + ' rounds (CSV)', { download: name, href: 'data:text/csv;charset=utf-8,' + encodeURIComponent(csv) }));
  }
  const say = controls(part, ...made);
});
