// The table of labels: searched, sorted, where labels are chosen to be compared, and from which the view of one label opens.

import { csvButton, type CsvRow } from './csv';
import { QUANTILE_NAMES, type Row } from './document';
import { Sight, h, setText, swatch } from './dom';
import { DASH, bytes, count, figure, percent } from './format';
import { MOST_COMPARED, type Store } from './store';
import { scrolled } from './table';
import { compareColor } from './theme';

/** Number of rows shown before the user asks for more. */
const PAGE = 100;

/** The same during a run: each second all of them are sorted, laid out and painted again. */
const LIVE_PAGE = 25;

/** Characters of a label that a name for screen readers or a title needs. */
const LONGEST_NAME = 300;

/** A label in a table: without what all begin with, cut where it is very long, whole in its title. */
export function labelText(store: Store, label: string): HTMLElement {
  return h('span', { class: 'clamp', title: label }, store.short(label));
}

interface Column {
  name: string;
  title: string;
  value: (row: Row) => number;
  text: (row: Row) => string;
  hint?: (row: Row) => string;
  /** A word below the figure. */
  note?: (row: Row) => string;
  /** The figure's uncertainty, shown below it. */
  interval?: (row: Row) => string;
  /** How wide a page is that has the column: 1 always, 2 beyond a phone, 3 on a wide screen, 4 on the widest. */
  width: 1 | 2 | 3 | 4;
}

/** Whether there are samples, and all of them failed: their times are times of failures. */
export const allFailed = (row: Row) => row.samples > 0 && row.errors === row.samples;

/** Columns of times, which say nothing where all samples failed. */
export const TIMES = ['mean', 'min', ...QUANTILE_NAMES, 'max'];

function percentile(at: number, width: Column['width']): Column {
  const name = QUANTILE_NAMES[at] ?? '';
  return {
    name,
    title: `${name} of the response times in milliseconds; ${DASH} if there are too few samples`,
    value: (row) => row.percentiles_ms[at] ?? -1,
    text: (row) => figure(row.percentiles_ms[at]),
    interval: (row) => {
      const interval = row.intervals_ms[at];
      return interval ? `${figure(interval[0])} to ${figure(interval[1])}` : '';
    },
    width,
  };
}

export const COLUMNS: Column[] = [
  { name: 'samples', title: 'Number of samples', value: (row) => row.samples, text: (row) => count(row.samples), width: 1 },
  { name: 'failed', title: 'Share of samples that failed', value: (row) => row.errors / Math.max(1, row.samples), text: (row) => percent(row.errors, row.samples), hint: (row) => `${count(row.errors)} samples`, note: (row) => (allFailed(row) ? 'all failed' : ''), width: 1 },
  { name: 'per s', title: 'Samples a second', value: (row) => row.per_s, text: (row) => figure(row.per_s), width: 2 },
  { name: 'mean', title: 'Mean response time in milliseconds', value: (row) => row.mean_ms, text: (row) => figure(row.mean_ms), hint: (row) => (Number.isFinite(row.sd_ms) ? `standard deviation ${figure(row.sd_ms)} ms` : ''), width: 3 },
  { name: 'min', title: 'Smallest response time in milliseconds', value: (row) => row.min_ms, text: (row) => figure(row.min_ms), width: 4 },
  percentile(0, 1),
  percentile(1, 3),
  percentile(2, 1),
  percentile(3, 1),
  percentile(4, 3),
  { name: 'max', title: 'Largest response time in milliseconds', value: (row) => row.max_ms, text: (row) => figure(row.max_ms), width: 2 },
  { name: 'received', title: 'Bytes received a second', value: (row) => row.received_per_s, text: (row) => `${bytes(row.received_per_s)}/s`, width: 4 },
  { name: 'sent', title: 'Bytes sent a second', value: (row) => row.sent_per_s, text: (row) => `${bytes(row.sent_per_s)}/s`, width: 4 },
  { name: 'APDEX', title: 'Application performance index', value: (row) => row.apdex ?? -1, text: (row) => (row.apdex === null ? DASH : row.apdex.toFixed(3)), width: 3 },
];

/** A line of the table. During a run the order changes each second, and text that changes costs far less than lines that move. */
interface Line {
  row: HTMLTableRowElement;
  box: HTMLInputElement | null;
  mark: HTMLElement;
  name: HTMLElement;
  kind: HTMLElement;
  cells: Cell[];
  /** The label that it shows; null: all samples. */
  place: number | null;
}

interface Cell {
  element: HTMLTableCellElement;
  figure: Text;
  note: HTMLElement | null;
  interval: Text | null;
}

export class LabelTable {
  readonly element: HTMLElement;
  private readonly body = h('tbody', { role: 'rowgroup' });
  private readonly search = h('input', { type: 'search', placeholder: 'Search labels', 'aria-label': 'Search labels', autocomplete: 'off', spellcheck: 'false' });
  private readonly failedOnly = h('input', { type: 'checkbox' });
  private readonly intervals = h('input', { type: 'checkbox', checked: true });
  private readonly withIntervals = h('label', { class: 'check', title: '95 % confidence interval: the range that is likely to contain the percentile of a longer run' }, this.intervals, '95 % confidence');
  private readonly more = h('button', { type: 'button', class: 'more', hidden: true });
  private readonly found = h('span', { class: 'soft', role: 'status' });
  private readonly allColumns = h('input', { type: 'checkbox' });
  private readonly beginning = h('p', { class: 'soft beginning' });
  private readonly none = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.store.compareNone() }, 'clear comparison');
  private readonly heads: HTMLTableCellElement[] = [];
  private readonly sight: Sight;
  private readonly total = this.make(true);
  private readonly lines: Line[] = [];
  private sort: { column: number; down: boolean } = { column: 0, down: true };
  private shown: number;

  /** `open` shows the view of a label. */
  constructor(private readonly store: Store, private readonly open: (place: number) => void) {
    const first = store.doc.live ? LIVE_PAGE : PAGE;
    this.shown = first;
    const refresh = () => {
      this.shown = first;
      this.update();
    };
    this.search.addEventListener('input', refresh);
    this.failedOnly.addEventListener('change', refresh);
    this.intervals.addEventListener('change', () => this.update());
    this.more.addEventListener('click', () => {
      this.shown += PAGE;
      this.update();
    });
    const head = h('tr', { role: 'row' }, this.sortHead('label', 'Label; select up to six to compare in the charts', -1), ...COLUMNS.map((column, at) => this.sortHead(column.name, column.title, at)));
    // Roles are said, since a narrow page lays rows out as blocks.
    const table = h('table', { class: 'labels sortable', role: 'table' }, h('caption', { class: 'for-readers' }, 'Figures of each label, times in milliseconds'), h('thead', { role: 'rowgroup' }, head), this.body);
    this.allColumns.addEventListener('change', () => table.classList.toggle('all', this.allColumns.checked));
    this.element = h(
      'div',
      {},
      h('div', { class: 'tools' }, this.search, h('label', { class: 'check' }, this.failedOnly, 'failed only'), this.withIntervals,
        h('label', { class: 'check wide-only' }, this.allColumns, 'all columns'), this.found, csvButton('Labels', () => this.rows()), this.none),
      this.beginning,
      scrolled('Table of labels', table),
      this.more,
    );
    this.sight = new Sight(this.element, () => this.update());
  }

  private sortHead(name: string, title: string, column: number): HTMLTableCellElement {
    const button = h('button', { type: 'button', title, onclick: () => this.sortBy(column) }, name);
    const cell = h('th', { scope: 'col', role: 'columnheader', class: `w${COLUMNS[column]?.width ?? 1}` }, button);
    this.heads[column + 1] = cell;
    return cell;
  }

  private sortBy(column: number): void {
    const same = this.sort.column === column;
    this.sort = { column, down: same ? !this.sort.down : column >= 0 };
    this.update();
  }

  /** Shows the current figures; a table outside the window waits until it is near. */
  update(): void {
    if (!this.sight.isNear && this.body.children.length > 0) return;
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
    const focused = this.focused();
    this.fill(this.total, null, total);
    visible.forEach((place, at) => this.fill((this.lines[at] ??= this.make(false)), place, rows[place] as Row));
    const lines = [this.total, ...this.lines.slice(0, visible.length)];
    if (lines.length !== this.body.children.length) this.body.replaceChildren(...lines.map((line) => line.row));
    this.focus(lines, focused);
    this.more.hidden = places.length <= this.shown;
    setText(this.more, `Show more (${count(places.length - this.shown)} labels left)`);
    const all = rows.length === 1 ? '1 label' : `${count(rows.length)} labels`;
    setText(this.found, places.length === rows.length ? all : `${count(places.length)} of ${all}`);
    this.none.hidden = this.store.compared.length === 0;
    const { commonBeginning } = this.store;
    this.beginning.hidden = commonBeginning === '';
    if (this.beginning.dataset['shown'] !== commonBeginning) {
      this.beginning.dataset['shown'] = commonBeginning;
      this.beginning.replaceChildren('Left out at the beginning of labels: ', h('code', {}, commonBeginning));
    }
  }

  /** All labels with all columns, as they are. */
  private rows(): CsvRow[] {
    const { rows, total } = this.store.rows();
    const heads = ['label', 'transaction', 'samples', 'errors', 'per second', 'mean (ms)', 'sd (ms)', 'min (ms)', ...QUANTILE_NAMES.map((name) => `${name} (ms)`), 'max (ms)', 'received (bytes per second)', 'sent (bytes per second)', 'APDEX'];
    return [heads, ...[total, ...rows].map((row) => [
      row.label, String(row.transaction), row.samples, row.errors, row.per_s, row.mean_ms, row.sd_ms, row.min_ms, ...row.percentiles_ms, row.max_ms, row.received_per_s, row.sent_per_s, row.apdex,
    ])];
  }

  /** Samplers before transactions, each sorted by the selected column. */
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

  /** The control of a line that has the focus. */
  private focused(): { place: number | null; control: 'box' | 'name' } | null {
    const active = document.activeElement;
    const line = active && this.body.contains(active) ? this.lines.find((one) => one.row.contains(active)) : undefined;
    return line ? { place: line.place, control: active === line.box ? 'box' : 'name' } : null;
  }

  /** Lets the focus follow its label to another line. */
  private focus(lines: Line[], focused: ReturnType<LabelTable['focused']>): void {
    const line = focused && lines.find((one) => one.place === focused.place);
    const control = focused && line?.[focused.control];
    if (control && control !== document.activeElement) control.focus({ preventScroll: true });
  }

  private fill(line: Line, place: number | null, row: Row): void {
    if (line.place !== place) this.assign(line, place, row);
    // Another label that came changes what all begin with.
    if (place !== null) setText(line.name, this.store.short(row.label) || '(no label)');
    const at = place === null ? -1 : this.store.compared.indexOf(place);
    COLUMNS.forEach((column, index) => {
      const cell = line.cells[index];
      if (!cell) return;
      this.fillCell(cell, column, row);
      const hint = column.hint?.(row) ?? '';
      if (cell.element.title !== hint) cell.element.title = hint;
    });
    line.cells[1]?.element.classList.toggle('bad', row.errors > 0);
    line.row.classList.toggle('all-failed', allFailed(row));
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
  }

  /** Gives a line to another label. */
  private assign(line: Line, place: number | null, row: Row): void {
    line.place = place;
    const cut = row.label.slice(0, LONGEST_NAME);
    line.box?.setAttribute('aria-label', `compare ${cut}`);
    line.name.title = `${cut}\nShow this label`;
    line.kind.hidden = !row.transaction;
  }

  private fillCell(cell: Cell, column: Column, row: Row): void {
    const interval = this.intervals.checked ? (column.interval?.(row) ?? '') : '';
    const note = column.note?.(row) ?? '';
    if ((note !== '') !== (cell.note !== null) || (interval !== '') !== (cell.interval !== null)) {
      cell.note = note === '' ? null : h('small', { class: 'note-word' });
      cell.interval = interval === '' ? null : document.createTextNode('');
      const range = cell.interval && h('small', {}, h('span', { class: 'for-readers' }, ', 95 % confidence '), cell.interval);
      cell.element.replaceChildren(cell.figure, ...[cell.note, range].filter((part) => part !== null));
    }
    setValue(cell.figure, column.text(row));
    if (cell.note) setText(cell.note, note);
    if (cell.interval) setValue(cell.interval, interval);
  }

  private make(isTotal: boolean): Line {
    const mark = swatch('transparent');
    const box = isTotal ? null : h('input', { type: 'checkbox', onchange: () => line.place !== null && this.store.toggle(line.place) });
    const kind = h('small', { hidden: true }, 'transaction');
    const name = isTotal
      ? h('span', { class: 'name' }, 'All samples')
      : h('button', { type: 'button', class: 'name', onclick: () => line.place !== null && this.open(line.place) });
    const head = h('th', { scope: 'row', role: 'rowheader' }, h('div', { class: 'label-cell' }, box, mark, name, kind));
    const cells = COLUMNS.map((column) => makeCell(column));
    const line: Line = { row: h('tr', { role: 'row', class: isTotal ? 'total' : '' }, head, ...cells.map((cell) => cell.element)), box, mark, name, kind, cells, place: null };
    return line;
  }
}

function makeCell(column: Column): Cell {
  const figure = document.createTextNode('');
  const element = h('td', { role: 'cell', class: `w${column.width}${TIMES.includes(column.name) ? ' time' : ''}`, 'data-name': column.name }, figure);
  return { element, figure, note: null, interval: null };
}

/** Changes a text if it is another. */
function setValue(node: Text, text: string): void {
  if (node.data !== text) node.data = text;
}
