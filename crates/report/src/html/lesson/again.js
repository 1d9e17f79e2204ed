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
  const table = row.table || row.rounds && [['round', row.reference + ' (ns)', row.subject + ' (ns)'], ...row.rounds];
  if (table) {
    const cell = value => typeof value === 'string' ? '"' + value.replaceAll('"', '""') + '"' : value;
    const csv = table.map(line => line.map(cell).join() + '\n').join('');
    const name = (row.label + ' ' + row.case).trim().replace(/\W+/g, '-') + '.csv';
    made.push(make('a', 'Download its ' + (table.length - 1) + ' ' + (table[0].includes('round') ? 'rounds' : 'machines') + ' (CSV)', { download: name, href: 'data:text/csv;charset=utf-8,' + encodeURIComponent(csv) }));
  }
  const say = controls(part, ...made);
});
