// A dialog for the tags, the note and the baseline of a run.

import { h, setText } from '../dom';
import { errorText } from '../format';
import { api, type Run, type Tags } from './data';
import { short, subjectName } from './places';

/** Tags from lines `name=value`; an error names the line that is wrong. */
export function tagsOf(text: string): Tags {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return lines.map((line) => {
    const at = line.indexOf('=');
    if (at < 1 || at === line.length - 1) throw new Error(`invalid tag “${short(line, 60)}”: use name=value, such as version=1.4.2`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

export function edit(run: Run, changed: (run: Run) => void): void {
  const tags = h('textarea', { rows: 4, id: 'edit-tags', spellcheck: 'false', placeholder: 'version=1.4.2' });
  tags.value = run.tags.map(([name, value]) => `${name}=${value}`).join('\n');
  const note = h('textarea', { rows: 4, id: 'edit-note' });
  note.value = run.note;
  const baseline = h('input', { type: 'checkbox', checked: run.is_baseline });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const save = h('button', { type: 'submit', class: 'primary' }, 'Save');
  const dialog = h('dialog', { class: 'edit', 'aria-labelledby': 'edit-title' });
  const form = h('form', { method: 'dialog' },
    h('h2', { id: 'edit-title' }, `Edit ${short(run.name, 60)}`),
    h('label', { for: 'edit-tags' }, 'Tags, one per line'), tags,
    h('label', { for: 'edit-note' }, 'Note'), note,
    h('label', { class: 'check' }, baseline, `Baseline of ${short(subjectName(run.subject), 60)}`),
    problem,
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), save));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    save.disabled = true;
    send(run, tags.value, note.value, baseline.checked).then((now) => {
      dialog.close();
      changed(now);
    }, (error: unknown) => {
      save.disabled = false;
      setText(problem, errorText(error));
    });
  });
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
}

async function send(run: Run, tags: string, note: string, isBaseline: boolean): Promise<Run> {
  let now = await api.annotate(run.name, tagsOf(tags), note);
  if (isBaseline !== run.is_baseline) now = await api.setBaseline(run.name, isBaseline);
  return now;
}
