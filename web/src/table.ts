// Tables that a region scrolls, and the buttons that show the figures of a chart as a table.

import { csvButton, type CsvRow } from './csv';
import type { TableCell } from './document';
import { h } from './dom';

type Content = Node | string;

/** Characters that a cell has on one line. */
const ONE_LINE = 32;

function size(cell: Content): string {
  if (cell instanceof Element && cell.querySelector('small')) return ' more';
  const text = typeof cell === 'string' ? cell : (cell.textContent ?? '');
  return text.length > ONE_LINE ? ' long' : '';
}

/** A table below its caption; `textColumns` are aligned to the left. */
export function table(caption: string, heads: string[], rows: Content[][], textColumns: number[]): HTMLTableElement {
  const kind = (at: number) => (textColumns.includes(at) ? 'text' : '');
  // Roles are said, since a narrow page lays out some rows as blocks.
  const head = h('tr', { role: 'row' }, ...heads.map((name, at) => h('th', { scope: 'col', role: 'columnheader', class: kind(at) }, name)));
  const body = rows.map((row) => h('tr', { role: 'row' }, ...row.map((cell, at) => h('td', { role: 'cell', class: kind(at) + size(cell) }, cell))));
  return h('table', { role: 'table' }, h('caption', { class: 'for-readers' }, caption), h('thead', { role: 'rowgroup' }, head), h('tbody', { role: 'rowgroup' }, ...body));
}

/** The same in a region that scrolls if it is wider than the page. */
export function scrolled(caption: string, content: HTMLElement): HTMLElement {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, content);
}

/** The figures of a chart as a table: the first cell of each row is its head. */
export function figures(caption: string, heads: string[], rows: string[][]): HTMLTableElement {
  const head = h('tr', {}, ...heads.map((name) => h('th', { scope: 'col' }, name)));
  const body = rows.map(([first, ...cells]) =>
    h('tr', {}, h('th', { scope: 'row' }, first ?? ''), ...cells.map((cell) => h('td', {}, cell))));
  return h('table', {}, h('caption', {}, caption), h('thead', {}, head), h('tbody', {}, ...body));
}

const FIGURE = /^[<>~±+−-]?\s?\d[\d,.]*( → [\d,.]+|\D{0,4})( \(.*\))?$/;

/** Columns of text: the first one, and those with a cell that is no figure. */
export function textColumns(rows: TableCell[][]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const isText = (value: TableCell | undefined) => typeof value === 'string' && value !== '' && !FIGURE.test(value);
  return Array.from({ length: columns }, (_, at) => at).filter((at) => at === 0 || rows.some((row) => isText(row[at])));
}

/** A place for the figures of a chart, with the buttons that show and hide them and save them. They are made when they are wanted. */
export class FiguresTable {
  readonly place: HTMLElement;
  readonly buttons: HTMLElement;
  private readonly button: HTMLButtonElement;

  constructor(name: string, private readonly make: () => HTMLElement, rows: () => CsvRow[]) {
    this.place = h('div', { class: 'scroll as-table', hidden: true, tabindex: '0', role: 'region', 'aria-label': `${name}: figures` });
    this.button = h('button', { class: 'quiet', type: 'button', 'aria-expanded': 'false', 'aria-label': `${name} as a table`, onclick: () => this.toggle() }, 'table');
    this.buttons = h('span', { class: 'figures-buttons' }, this.button, csvButton(name, rows));
  }

  update(): void {
    if (!this.place.hidden) this.place.replaceChildren(this.make());
  }

  private toggle(): void {
    this.place.hidden = !this.place.hidden;
    this.button.setAttribute('aria-expanded', String(!this.place.hidden));
    this.update();
  }
}
