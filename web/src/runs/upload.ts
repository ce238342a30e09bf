// A button that imports a results file.

import { h, setText } from '../dom';
import { count, errorText } from '../format';
import { upload } from './data';

export function importer(): HTMLElement {
  const said = h('span', { class: 'soft', role: 'status' });
  const file = h('input', { type: 'file', class: 'for-readers', tabindex: '-1', 'aria-label': 'Results file', accept: '.jtl,.csv,.xml,.gz' });
  const button = h('button', { type: 'button', title: 'Add a results file (JTL) of JMeter or another tool', onclick: () => file.click() }, 'Import results');
  file.addEventListener('change', () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    button.disabled = true;
    setText(said, `Importing ${chosen.name} …`);
    upload(chosen).then(({ name, samples, bad_rows }) => {
      const bad = bad_rows > 0 ? `, ${count(bad_rows)} rows could not be read` : '';
      sessionStorage.setItem('swell-imported', `${name}: ${count(samples)} samples imported${bad}`);
      location.reload();
    }, (error: unknown) => {
      button.disabled = false;
      file.value = '';
      setText(said, errorText(error));
    });
  });
  const before = sessionStorage.getItem('swell-imported');
  if (before) {
    sessionStorage.removeItem('swell-imported');
    setText(said, before);
  }
  return h('div', { class: 'importer' }, said, file, button);
}
