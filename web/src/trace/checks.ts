// What each element of a step did: extractors, assertions, timers, scripts.

import { h } from '../dom';
import type { Action, Check, Extraction, LogLine } from './events';
import { lineOf, oneLine, visible } from './text';
import { changesOf, pairs } from './variables';

const ROLES: Record<string, string> = {
  pre_processor: 'Before the sampler', timer: 'Timer', sampler: 'Sampler', post_processor: 'After the sampler', assertion: 'Assertion', iteration_element: 'Start of the iteration',
};
const LANGUAGES: Record<string, string> = { json: 'JSONPath', regex: 'regular expression', css: 'CSS selector', xpath: 'XPath', boundary: 'boundaries' };

/** An extractor found nothing. */
export const hasNoMatch = (action: Action) => (action.extractions ?? []).some((found) => found.taken === null);

/** A script has thrown, or something else was logged as an error. */
const hasErrors = (action: Action) => action.error !== undefined || (action.output ?? []).some((line) => line.level === 'error');

const isBad = (action: Action) => hasErrors(action) || (action.checks ?? []).some((check) => !check.passed) || hasNoMatch(action);

export function failedChecks(actions: Action[]): boolean {
  return actions.some(isBad);
}

export function checkCount(actions: Action[]): string {
  const bad = actions.filter(isBad).length;
  const all = actions.filter((action) => action.role !== 'sampler').length;
  return bad > 0 ? `${bad} of ${all} failed` : all > 0 ? String(all) : '';
}

/** A text around a place, with a mark where it begins to differ from another. */
function differing(text: string, at: number | undefined): HTMLElement {
  const most = 600;
  if (at === undefined) return h('code', {}, oneLine(text, most));
  // The place counts characters, and a text in the browser code units.
  const characters = [...text.slice(0, (at + most) * 2)];
  const from = Math.max(0, at - 80);
  const before = visible(characters.slice(from, at).join(''));
  const rest = visible(characters.slice(at, at + most).join(''));
  return h('code', {}, from > 0 ? '…' : '', before, h('mark', {}, rest || '(ends here)'));
}

function checkView(check: Check): HTMLElement {
  const parts = [check.field, check.relation].filter((text) => text !== undefined).join(' ');
  const title = check.passed ? 'passed' : check.error ? 'could not run' : 'FAILED';
  const rows: [string, Node | string][] = [];
  const at = check.passed ? undefined : check.differs_at;
  if (check.wanted !== undefined) rows.push(['Wanted', differing(check.wanted, at)]);
  if (check.got !== undefined) rows.push(['Got', differing(check.got, at)]);
  if (check.message !== null) rows.push(['Message', visible(check.message.slice(0, 4_000))]);
  return h('div', { class: 'part' }, h('p', {}, h('span', { class: `badge small ${check.passed ? 'good' : 'bad'}` }, title), ` ${visible(parts)}`), rows.length > 0 ? pairs(rows) : null);
}

function extractionView(found: Extraction): HTMLElement {
  const isFound = found.taken !== null;
  const number = found.match_number === 0 ? 'any match' : found.match_number < 0 ? 'all matches' : `match ${found.match_number}`;
  const code = (text: string, most: number) => h('code', {}, oneLine(text, most));
  const items = (all: string[], most: number) => all.map((one) => h('li', {}, code(one, most)));
  const rows: [string, Node | string][] = [
    [LANGUAGES[found.language] ?? found.language, code(found.expression, 2_000)],
    ['Searched', `${visible(found.subject)}, ${number}`],
  ];
  if (found.taken !== null) rows.push(['Taken', code(found.taken, 2_000)]);
  if (found.values.length > 1) rows.push(['Matches', h('ol', { class: 'matches' }, ...items(found.values, 500))]);
  if (found.default !== undefined) rows.push(['Default', code(found.default, 500)]);
  if (found.error !== undefined) rows.push(['Why', visible(found.error)]);
  if (found.nearby && found.nearby.length > 0) rows.push(['The response has', h('ul', { class: 'matches' }, ...items(found.nearby, 300))]);
  return h('div', { class: 'part' }, h('p', {}, h('span', { class: `badge small ${isFound ? 'good' : 'bad'}` }, isFound ? 'found' : 'NO MATCH'), ' for ', h('code', {}, oneLine(found.variable))), pairs(rows));
}

/** What an element logged and printed; a stack is folded below its first line. */
function outputList(lines: LogLine[]): HTMLElement {
  const shown = lines.map(({ level, text }) => {
    const [first = '', ...more] = text.split('\n');
    const head = [h('span', { class: `badge small${level === 'error' ? ' bad' : ''}` }, level === 'output' ? 'printed' : level), ' ', h('code', {}, visible(first))];
    return h('li', {}, ...(more.length > 0 ? [h('details', {}, h('summary', {}, ...head), h('pre', {}, visible(more.join('\n'))))] : head));
  });
  return h('ul', { class: 'matches' }, ...shown);
}

function actionView(action: Action, plan: string): HTMLElement {
  const { timer, data, output, error } = action;
  const changed = changesOf(action).map((change): [string, string] => [oneLine(change.name), change.after === null ? 'removed' : oneLine(change.after, 1_000)]);
  const wait = timer ? `${timer.wait_ms === null ? 'waits for other users' : `${timer.wait_ms} ms`}${timer.skipped ? ', skipped' : ''}` : '';
  const read = data ? (data.record === null ? `the end of ${data.file}` : `record ${data.record} of ${data.file}`) : '';
  const notes: [string, string][] = [...(wait ? [['Delay', wait] as [string, string]] : []), ...(read ? [['Read', visible(read)] as [string, string]] : [])];
  const hasExtractions = (action.extractions ?? []).length > 0;
  return h('section', { class: `card action${isBad(action) ? ' bad' : ''}` },
    h('h3', {}, oneLine(action.element.name) || '(no name)'),
    h('p', { class: 'soft place' }, `${ROLES[action.role] ?? action.role}: ${visible(action.element.class)}${lineOf(action.element, plan)}`),
    error === undefined ? null : h('p', { class: 'note bad-note' }, visible(error)),
    ...(action.extractions ?? []).map(extractionView), ...(action.checks ?? []).map(checkView),
    notes.length > 0 ? pairs(notes) : null,
    output && output.length > 0 ? h('div', { class: 'part' }, h('p', { class: 'soft' }, 'Logged and printed:'), outputList(output)) : null,
    changed.length > 0 && !hasExtractions ? h('div', { class: 'part' }, h('p', { class: 'soft' }, 'Set:'), pairs(changed)) : null);
}

/** The elements of a step in the order in which they ran; what failed is marked. */
export function actionList(actions: Action[], plan: string): Node[] {
  const shown = actions.filter((action) => action.role !== 'sampler' || action.error !== undefined || (action.variables ?? []).length > 0
    || (action.output ?? []).length > 0);
  if (shown.length === 0) return [h('p', { class: 'soft' }, 'No extractor, assertion or timer belongs to this step.')];
  return shown.map((action) => actionView(action, plan));
}
