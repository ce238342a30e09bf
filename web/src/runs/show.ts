// The report of a run and the comparison of two, as their files show them, with a bar above.

import { checked } from '../data';
import type { PageDocument, StudyDocument } from '../document';
import { h, save, setText } from '../dom';
import { errorText } from '../format';
import { showRun } from '../run';
import { showStudy } from '../study';
import { bar } from './bar';
import { api, reportFile, type Run } from './data';
import { edit } from './edit';
import { comparisonOf, reportOf, trendOf } from './places';

function prepend(element: HTMLElement): void {
  document.getElementById('app')?.prepend(element);
}

export async function showReport(query: URLSearchParams): Promise<void> {
  const name = query.get('name') ?? '';
  const [list, found] = await Promise.all([api.runs(), api.page(name)]);
  showRun(checked(found) as PageDocument);
  const run = list.runs.find((one) => one.name === name);
  const baseline = list.runs.find((one) => one.is_baseline && one.subject === run?.subject && one.name !== name);
  const before = run && list.runs.find((one) => one.subject === run.subject && one.start_ms < run.start_ms && one.has_folder);
  prepend(bar(
    ...(run ? [h('a', { href: trendOf(run.subject) }, 'Trend of this plan')] : []),
    ...(before ? [h('a', { href: comparisonOf(before.name, name) }, 'Compare with the run before')] : []),
    ...(baseline ? [h('a', { href: comparisonOf(baseline.name, name) }, 'Compare with the baseline')] : []),
    saver(name),
    ...(run && list.may_change ? [editor(run)] : []),
  ));
}

/** Saves the report as one file that can be sent to others. */
function saver(name: string): HTMLElement {
  const said = h('span', { class: 'problem', role: 'status' });
  const button = h('button', { type: 'button', class: 'quiet', title: 'One HTML file that needs no network', onclick: () => {
    reportFile(name).then((file) => save(file, `${name}.html`), (error: unknown) => setText(said, errorText(error)));
  } }, 'Save as one file');
  return h('span', {}, button, said);
}

function editor(run: Run): HTMLElement {
  return h('button', { type: 'button', class: 'quiet', onclick: () => edit(run, () => location.reload()) }, 'Edit tags and note');
}

export async function showComparison(query: URLSearchParams): Promise<void> {
  const [before, after] = [query.get('before') ?? '', query.get('after') ?? ''];
  showStudy(checked(await api.comparison(before, after)) as StudyDocument);
  prepend(bar(h('a', { href: reportOf(before) }, 'First run'), h('a', { href: reportOf(after) }, 'Second run'),
    h('a', { href: comparisonOf(after, before) }, 'Swap')));
}
