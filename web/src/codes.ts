// Response codes and kinds of failures: their colours, and bars.

import { barRow, span } from './bars';
import type { Tone } from './document';
import { h } from './dom';
import { count, percent } from './format';

/** Rows that are shown; the others are summed. */
const MOST = 12;

/** Errors of the client and the server are bad, and so is no response. */
export const codeTone = (code: string): Tone | '' => (/^[45]\d\d$/.test(code) || code === 'no response' ? 'bad' : /^2\d\d$/.test(code) ? 'good' : '');

/** A colour for each class of codes: information, success, redirect, errors of the client, of the server. */
const CODE_COLORS = ['compare-6', 'users', 'rate', 'compare-2', 'bad'];

/** Colour and dash of a code: lines of one class have one colour. */
export function codeStyle(code: string, before: string[]): { of: string; dash: boolean; dots: boolean } {
  const classOf = (text: string) => (/^[1-5]\d\d$/.test(text) ? Number(text[0]) : 0);
  const of = classOf(code) > 0 ? (CODE_COLORS[classOf(code) - 1] ?? 'soft') : code === 'no response' ? 'compare-4' : 'compare-5';
  const same = before.filter((other) => classOf(other) === classOf(code) && (classOf(code) > 0 || (other === 'no response') === (code === 'no response'))).length;
  return { of, dash: same % 3 === 1, dots: same % 3 === 2 };
}

/** A bar for each with its part of the whole. */
export function codeBars(all: [string, number][], tone: (name: string) => Tone | ''): HTMLElement {
  const sum = all.reduce((total, [, times]) => total + times, 0);
  const [shown, rest] = all.length <= MOST ? [all, []] : [all.slice(0, MOST - 1), all.slice(MOST - 1)];
  const rows: [string, number][] = rest.length === 0 ? shown : [...shown, [`${rest.length} others`, rest.reduce((total, [, times]) => total + times, 0)]];
  return h('ul', { class: 'bars' }, ...rows.map(([name, times]) =>
    barRow(name, `${count(times)}, ${percent(times, sum)}`, [span('bar', 0, times / sum)], tone(name))));
}
