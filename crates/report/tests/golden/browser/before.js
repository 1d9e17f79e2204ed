// What goes wrong while the page's own script runs.
window.errors = [];
addEventListener('error', event => errors.push(String(event.message)));
addEventListener('unhandledrejection', event => errors.push(String(event.reason)));
const complain = console.error;
console.error = (...words) => { errors.push(words.join(' ')); complain(...words); };
