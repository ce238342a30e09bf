// Figures as a file of comma-separated values (RFC 4180), for spreadsheets.

import { h, save } from './dom';

export type CsvRow = (string | number | null | undefined)[];

/** Spreadsheets take a text that begins so for a formula; labels come from servers and results files. */
const FORMULA = /^[=+\-@\t\r]/;

function field(value: CsvRow[number]): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(rows: CsvRow[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** A name of a file: `Samples a second` becomes `samples-a-second.csv`. */
export function fileName(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^-+|-+$/g, '');
  return `${words.slice(0, 60) || 'figures'}.csv`;
}

/** A button that saves figures. They are made when it is pressed. */
export function csvButton(name: string, rows: () => CsvRow[]): HTMLButtonElement {
  const saved = () => save(new Blob([csv(rows())], { type: 'text/csv' }), fileName(name));
  return h('button', { class: 'quiet', type: 'button', 'aria-label': `${name} as CSV`, title: 'Download as CSV', onclick: saved }, 'CSV');
}
