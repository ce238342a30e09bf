// State of the page: the document, the selected time range, and the compared labels.

import { QUANTILES, type Cell, type PageDocument, type Row } from './document';
import { Histogram } from './histogram';
import { commonBeginning } from './names';

/** Largest number of compared labels: the number of colours. */
export const MOST_COMPARED = 6;

/** The label of samples beyond the limit of labels. */
const OTHER_LABELS = '(other labels)';

/** Number of fields in a cell before its buckets. */
const BEFORE_BUCKETS = 9;

export type Change = 'data' | 'range' | 'labels' | 'look';

/** A time range in milliseconds since the epoch. */
export type Range = [number, number];

export class Store {
  range: Range | null = null;
  /** Indexes of compared labels, in the order of selection. */
  compared: number[] = [];
  private readonly watchers: ((change: Change) => void)[] = [];
  private ranged: { range: Range; rows: Row[]; total: Row } | null = null;
  private beginning = { labels: 0, first: '', text: '' };

  constructor(public doc: PageDocument) {}

  /** Other data: of the same run, or of another trial, whose labels and times are other ones. */
  replace(doc: PageDocument): void {
    if (doc.start_ms !== this.doc.start_ms) {
      this.range = null;
      this.compared = [];
    }
    this.doc = doc;
  }

  watch(watcher: (change: Change) => void): void {
    this.watchers.push(watcher);
  }

  tell(change: Change): void {
    if (change === 'data' || change === 'range') this.ranged = null;
    for (const watcher of this.watchers) watcher(change);
  }

  /** The whole run. */
  get whole(): Range {
    const { start_ms, time } = this.doc;
    return [start_ms, start_ms + Math.max(1, time.columns.seconds.length) * time.width_ms];
  }

  /** What the charts show. */
  get shown(): Range {
    return this.range ?? this.whole;
  }

  setRange(range: Range | null): void {
    const [first, last] = this.whole;
    const least = this.doc.time.width_ms * 2;
    if (range) {
      const from = Math.max(first, Math.min(range[0], last - least));
      const to = Math.min(last, Math.max(range[1], from + least));
      range = from <= first && to >= last ? null : [from, to];
    }
    this.range = range;
    this.tell('range');
  }

  toggle(place: number): void {
    const at = this.compared.indexOf(place);
    if (at >= 0) this.compared.splice(at, 1);
    else if (this.compared.length < MOST_COMPARED) this.compared.push(place);
    this.tell('labels');
  }

  compareNone(): void {
    this.compared = [];
    this.tell('labels');
  }

  /** What all labels of samples begin with, or most of them. */
  get commonBeginning(): string {
    const { labels } = this.doc;
    // A label keeps its place, so new labels show by their number.
    if (labels.length !== this.beginning.labels || labels[0]?.label !== this.beginning.first) {
      const text = commonBeginning(labels.filter((row) => !row.transaction && row.label !== OTHER_LABELS).map((row) => row.label));
      this.beginning = { labels: labels.length, first: labels[0]?.label ?? '', text };
    }
    return this.beginning.text;
  }

  /** A label without that. */
  short(label: string): string {
    const beginning = this.commonBeginning;
    return beginning && label.length > beginning.length && label.startsWith(beginning) ? label.slice(beginning.length) : label;
  }

  /** The short name of the label of a place. */
  name(place: number): string {
    return this.short(this.doc.labels[place]?.label ?? '');
  }

  /** The cells of a label, or of all together. */
  cells(place: number | null): Cell[] | null {
    return place === null ? this.doc.cells.total : (this.doc.cells.labels[place] ?? null);
  }

  /** The range of the figures: the selected range, widened to whole cells. */
  get snapped(): Range {
    const { start_ms, width_ms } = this.doc.cells;
    const [from, to] = this.shown;
    const down = start_ms + Math.floor((from - start_ms) / width_ms) * width_ms;
    const up = start_ms + Math.ceil((to - start_ms) / width_ms) * width_ms;
    return [down, up];
  }

  /** All cells of a label in the range. */
  cellsInRange(place: number | null): Cell[] | null {
    const cells = this.cells(place);
    if (!cells || !this.range) return cells;
    const { start_ms, width_ms } = this.doc.cells;
    const [from, to] = this.snapped.map((at) => Math.round((at - start_ms) / width_ms)) as [number, number];
    return cells.filter((cell) => (cell[0] as number) >= from && (cell[0] as number) < to);
  }

  histogram(place: number | null): Histogram | null {
    const cells = this.cellsInRange(place);
    return cells && merged(cells);
  }

  /** Figures in the range, of all labels by index and of the total. */
  rows(): { rows: Row[]; total: Row } {
    if (!this.range) return { rows: this.doc.labels, total: this.doc.total };
    if (!this.ranged) {
      const rows = this.doc.labels.map((row, place) => this.rangedRow(row, place));
      this.ranged = { range: this.range, rows, total: this.rangedRow(this.doc.total, null) };
    }
    return this.ranged;
  }

  private rangedRow(row: Row, place: number | null): Row {
    const cells = this.cellsInRange(place);
    const [from, to] = this.snapped;
    const end = this.doc.start_ms + this.doc.duration_s * 1000;
    const seconds = Math.max(0.001, (Math.min(to, Math.max(end, from + 1)) - from) / 1000);
    return cells ? figures(row, cells, seconds) : unknown(row);
  }
}

function merged(cells: Cell[]): Histogram {
  const all = new Histogram();
  for (const cell of cells) eachBucket(cell, (bucket, times) => all.add(bucket, times));
  return all;
}

export function eachBucket(cell: Cell, visit: (bucket: number, times: number) => void): void {
  let bucket = 0;
  for (let at = BEFORE_BUCKETS; at + 1 < cell.length; at += 2) {
    bucket += cell[at] as number;
    visit(bucket, cell[at + 1] as number);
  }
}

/** Whether this number of samples is enough for a percentile, by the program's rule. */
function supports(samples: number, quantile: number): boolean {
  return samples >= (3.84 * quantile) / (1 - quantile);
}

function figures(row: Row, cells: Cell[], seconds: number): Row {
  const sum = (at: number) => cells.reduce((total, cell) => total + (cell[at] as number), 0);
  const all = merged(cells);
  const [samples, apdexSum] = [sum(1), sum(7) + sum(8) / 2];
  const max = cells.reduce((most, cell) => Math.max(most, cell[6] as number), 0) / 1000;
  const percentiles = all.quantiles(QUANTILES);
  return {
    ...row,
    samples,
    errors: sum(2),
    mean_ms: samples ? sum(5) / samples / 1000 : Number.NaN,
    sd_ms: Number.NaN,
    min_ms: Number.NaN,
    max_ms: samples ? max : Number.NaN,
    percentiles_ms: QUANTILES.map((quantile, at) => {
      const value = percentiles[at] ?? null;
      return value !== null && supports(samples, quantile) ? Math.min(value, max) : null;
    }),
    intervals_ms: QUANTILES.map(() => null),
    per_s: samples / seconds,
    received_per_s: sum(3) / seconds,
    sent_per_s: sum(4) / seconds,
    apdex: samples ? apdexSum / samples : null,
  };
}

/** Whether a label has only figures of the whole run. */
function unknown(row: Row): Row {
  const none = Number.NaN;
  const empty = QUANTILES.map(() => null);
  return {
    ...row, samples: none, errors: none, mean_ms: none, sd_ms: none, min_ms: none, max_ms: none, percentiles_ms: empty,
    intervals_ms: empty, per_s: none, received_per_s: none, sent_per_s: none, apdex: null,
  };
}
