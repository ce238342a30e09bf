// The table of labels: searched, sorted, and where labels are chosen to be compared.

import { QUANTILE_NAMES, type Row } from './document';
import { h, setText, swatch } from './dom';
import { DASH, bytes, count, figure, percent } from './format';
import { MOST_COMPARED, type Store } from './store';
import { compareColor } from './theme';

/** Rows that are shown before somebody asks for more. */
const PAGE = 100;

interface Column {
  name: string;
  title: string;
  value: (row: Row) => number;
  text: (row: Row) => string;
  hint?: (row: Row) => string;
  /** How far the figure can be off, below it. */
  interval?: (row: Row) => string;
  wide?: boolean;
}

function percentile(at: number): Column {
  const name = QUANTILE_NAMES[at] ?? '';
  return {
    name,
    title: `${name} of the response times in milliseconds; ${DASH} where there are too few samples`,
    value: (row) => row.percentiles_ms[at] ?? -1,
    text: (row) => figure(row.percentiles_ms[at]),
    interval: (row) => {
      const interval = row.intervals_ms[at];
      return interval ? `${figure(interval[0])} to ${figure(interval[1])}` : '';
    },
  };
}

const COLUMNS: Column[] = [
  { name: 'samples', title: 'Number of samples', value: (row) => row.samples, text: (row) => count(row.samples) },
  { name: 'failed', title: 'Share of samples that failed', value: (row) => row.errors / Math.max(1, row.samples), text: (row) => percent(row.errors, row.samples), hint: (row) => `${count(row.errors)} samples` },
  { name: 'per s', title: 'Samples a second', value: (row) => row.per_s, text: (row) => figure(row.per_s) },
  { name: 'mean', title: 'Mean response time in milliseconds', value: (row) => row.mean_ms, text: (row) => figure(row.mean_ms), hint: (row) => (Number.isFinite(row.sd_ms) ? `standard deviation ${figure(row.sd_ms)} ms` : '') },
  { name: 'min', title: 'Smallest response time in milliseconds', value: (row) => row.min_ms, text: (row) => figure(row.min_ms), wide: true },
  ...[0, 1, 2, 3, 4].map(percentile),
  { name: 'max', title: 'Largest response time in milliseconds', value: (row) => row.max_ms, text: (row) => figure(row.max_ms) },
  { name: 'received', title: 'Bytes received a second', value: (row) => row.received_per_s, text: (row) => `${bytes(row.received_per_s)}/s`, wide: true },
  { name: 'sent', title: 'Bytes sent a second', value: (row) => row.sent_per_s, text: (row) => `${bytes(row.sent_per_s)}/s`, wide: true },
  { name: 'APDEX', title: 'Application performance index', value: (row) => row.apdex ?? -1, text: (row) => (row.apdex === null ? DASH : row.apdex.toFixed(3)) },
];

interface Line {
  row: HTMLTableRowElement;
  box: HTMLInputElement | null;
  mark: HTMLElement;
  cells: HTMLTableCellElement[];
  place: number | null;
}

export class LabelTable {
  readonly element: HTMLElement;
  private readonly body = h('tbody');
  private readonly search = h('input', { type: 'search', placeholder: 'Search labels', 'aria-label': 'Search labels', autocomplete: 'off', spellcheck: 'false' });
  private readonly failedOnly = h('input', { type: 'checkbox' });
  private readonly intervals = h('input', { type: 'checkbox', checked: true });
  private readonly withIntervals = h('label', { class: 'check', title: 'With a probability of 95 % the percentile of a longer run of the same kind lies in this range' }, this.intervals, '95 % confidence');
  private readonly more = h('button', { type: 'button', class: 'more', hidden: true });
  private readonly found = h('span', { class: 'soft', role: 'status' });
  private readonly none = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.store.compareNone() }, 'show all samples again');
  private readonly heads: HTMLTableCellElement[] = [];
  private readonly lines = new Map<number | null, Line>();
  private sort: { column: number; down: boolean } = { column: 0, down: true };
  private shown = PAGE;

  constructor(private readonly store: Store) {
    const refresh = () => {
      this.shown = PAGE;
      this.update();
    };
    this.search.addEventListener('input', refresh);
    this.failedOnly.addEventListener('change', refresh);
    this.intervals.addEventListener('change', () => this.update());
    this.more.addEventListener('click', () => {
      this.shown += PAGE;
      this.update();
    });
    const head = h('tr', {}, this.sortHead('label', 'Label; choose up to six to compare them in the charts', -1), ...COLUMNS.map((column, at) => this.sortHead(column.name, column.title, at)));
    const table = h('table', { class: 'labels' }, h('caption', { class: 'for-readers' }, 'Figures of each label, times in milliseconds'), h('thead', {}, head), this.body);
    this.element = h(
      'div',
      {},
      h('div', { class: 'tools' }, this.search, h('label', { class: 'check' }, this.failedOnly, 'only with failed samples'), this.withIntervals, this.found, this.none),
      h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of labels' }, table),
      this.more,
    );
  }

  private sortHead(name: string, title: string, column: number): HTMLTableCellElement {
    const button = h('button', { type: 'button', title, onclick: () => this.sortBy(column) }, name);
    const cell = h('th', { scope: 'col', class: COLUMNS[column]?.wide ? 'wide' : '' }, button);
    this.heads[column + 1] = cell;
    return cell;
  }

  private sortBy(column: number): void {
    const same = this.sort.column === column;
    this.sort = { column, down: same ? !this.sort.down : column >= 0 };
    this.update();
  }

  update(): void {
    const { rows, total } = this.store.rows();
    this.heads.forEach((head, at) => {
      const direction = this.sort.down ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', at === this.sort.column + 1 ? direction : 'none');
    });
    const wanted = this.search.value.trim().toLowerCase();
    const fits = (row: Row) => row.label.toLowerCase().includes(wanted) && (!this.failedOnly.checked || row.errors > 0);
    const places = rows.map((_, place) => place).filter((place) => fits(rows[place] as Row));
    this.order(places, rows);
    const visible = places.slice(0, this.shown);
    this.withIntervals.hidden = ![total, ...rows].some((row) => row.intervals_ms.some((interval) => interval !== null));
    const elements = [this.line(null, total), ...visible.map((place) => this.line(place, rows[place] as Row))];
    if (elements.some((element, at) => this.body.children[at] !== element) || this.body.children.length !== elements.length) {
      this.body.replaceChildren(...elements);
    }
    this.more.hidden = places.length <= this.shown;
    setText(this.more, `Show more: ${count(places.length - this.shown)} labels are left`);
    const all = rows.length === 1 ? '1 label' : `${count(rows.length)} labels`;
    setText(this.found, places.length === rows.length ? all : `${count(places.length)} of ${all}`);
    this.none.hidden = this.store.compared.length === 0;
  }

  /** Samplers before transactions, each by the chosen column. */
  private order(places: number[], rows: Row[]): void {
    const column = COLUMNS[this.sort.column];
    const sign = this.sort.down ? -1 : 1;
    const value = (row: Row) => {
      const found = column?.value(row) ?? 0;
      return Number.isFinite(found) ? found : -1;
    };
    places.sort((a, b) => {
      const [left, right] = [rows[a] as Row, rows[b] as Row];
      if (left.transaction !== right.transaction) return left.transaction ? 1 : -1;
      const difference = column ? value(left) - value(right) : left.label.localeCompare(right.label);
      return sign * difference || a - b;
    });
  }

  private line(place: number | null, row: Row): HTMLTableRowElement {
    const line = this.lines.get(place) ?? this.make(place, row);
    const at = place === null ? -1 : this.store.compared.indexOf(place);
    COLUMNS.forEach((column, index) => {
      const cell = line.cells[index];
      if (!cell) return;
      this.fill(cell, column, row);
      const hint = column.hint?.(row) ?? '';
      if (cell.title !== hint) cell.title = hint;
    });
    line.cells[1]?.classList.toggle('bad', row.errors > 0);
    line.row.classList.toggle('chosen', at >= 0);
    if (line.box) {
      line.box.checked = at >= 0;
      line.box.disabled = at < 0 && this.store.compared.length >= MOST_COMPARED;
    }
    line.mark.hidden = at < 0;
    if (at >= 0) {
      line.mark.style.setProperty('--line', compareColor(at));
      line.mark.classList.toggle('dash', at >= 3);
    }
    return line.row;
  }

  private fill(cell: HTMLTableCellElement, column: Column, row: Row): void {
    const interval = this.intervals.checked ? (column.interval?.(row) ?? '') : '';
    const wanted = interval ? `${column.text(row)}\n${interval}` : column.text(row);
    if (cell.dataset['shown'] === wanted) return;
    cell.dataset['shown'] = wanted;
    cell.replaceChildren(column.text(row), interval && h('small', {}, h('span', { class: 'for-readers' }, ', 95 % confidence '), interval));
  }

  private make(place: number | null, row: Row): Line {
    const box = place === null ? null : h('input', { type: 'checkbox', onchange: () => this.store.toggle(place) });
    const mark = swatch('transparent');
    const kind = row.transaction ? h('small', {}, 'transaction') : null;
    const name = place === null ? 'All samples' : row.label;
    const head = place === null
      ? h('th', { scope: 'row' }, h('span', { class: 'name' }, name))
      : h('th', { scope: 'row' }, h('label', {}, box, mark, h('span', { class: 'name', title: name }, name), kind));
    const cells = COLUMNS.map((column) => h('td', { class: column.wide ? 'wide' : '' }));
    const line: Line = { row: h('tr', { class: place === null ? 'total' : '' }, head, ...cells), box, mark, cells, place };
    this.lines.set(place, line);
    return line;
  }
}
