// Applies ticks to the document. A tick has current figures and no sums, so applying it twice is harmless.

import type { Cell, ColumnName, ErrorRow, PageDocument, PlainTable, Row, Slow, TargetSeries, Thresholds, Tone, VerdictSoFar } from './document';

export interface GroupStatus {
  place: number;
  name: string;
  active: number;
  planned: number;
  wanted_users: number | null;
  wanted_per_s: number | null;
}

export interface Status {
  revision: number;
  phase: string | null;
  is_paused: boolean;
  is_over: boolean;
  users: number | null;
  samples: number;
  errors: number;
  groups: GroupStatus[];
  verdict_so_far: VerdictSoFar | null;
}

export interface Tick {
  layout: { start_ms: number; width_ms: number; cells_start_ms: number; cells_width_ms: number };
  duration_s: number;
  headline: string | null;
  headline_tone: Tone | null;
  place: number;
  point: Record<ColumnName, (number | null)[]>;
  kinds: Record<string, number>;
  codes: [string, number][];
  /** Each with the point's single value. */
  target: TargetSeries[];
  total: Row;
  total_cell: Cell | null;
  rows: [number, Row, Cell | null][];
  errors: ErrorRow[] | null;
  other_errors: number;
  slowest: Slow[] | null;
  thresholds: Thresholds | null;
  tables: PlainTable[] | null;
  status: Status;
}

/** Applies a tick; returns false if points or cells have moved, so that the complete state must be requested. */
export function apply(doc: PageDocument, tick: Tick): boolean {
  const { layout } = tick;
  const { time, cells } = doc;
  const same = layout.start_ms === doc.start_ms && layout.width_ms === time.width_ms
    && layout.cells_start_ms === cells.start_ms && layout.cells_width_ms === cells.width_ms;
  if (!same || tick.place > time.columns.seconds.length + 120 || tick.rows.some(([place]) => place > doc.labels.length + tick.rows.length)) return false;
  for (const [name, values] of Object.entries(tick.point) as [ColumnName, (number | null)[]][]) {
    put(time.columns[name] as (number | null)[], tick.place, values[0] ?? null, isCount(name) ? 0 : null);
  }
  for (const name of Object.keys(tick.kinds)) time.kinds[name] ??= [];
  for (const [name, values] of Object.entries(time.kinds)) put(values, tick.place, tick.kinds[name] ?? 0, 0);
  putCodes(time.codes, tick);
  for (const series of tick.target) putTarget(time.target, tick.place, series);
  doc.duration_s = tick.duration_s;
  if (tick.headline !== null) [doc.headline, doc.headline_tone] = [tick.headline, tick.headline_tone];
  doc.so_far = tick.status.verdict_so_far;
  doc.total = tick.total;
  if (tick.total_cell) putCell(cells.total, tick.total_cell);
  for (const [place, row, cell] of [...tick.rows].sort((a, b) => a[0] - b[0])) {
    if (place > doc.labels.length) return false;
    doc.labels[place] = row;
    const known = (cells.labels[place] ??= cell ? [] : null);
    if (known && cell) putCell(known, cell);
  }
  doc.errors = tick.errors ?? doc.errors;
  doc.other_errors = tick.other_errors;
  doc.slowest = tick.slowest ?? doc.slowest;
  doc.thresholds = tick.thresholds ?? doc.thresholds;
  doc.tables = tick.tables ?? doc.tables;
  return true;
}

const isCount = (name: ColumnName) => ['seconds', 'samples', 'errors', 'received', 'sent', 'connects'].includes(name);

function put<T>(values: T[], place: number, value: T, empty: T): void {
  while (values.length < place) values.push(empty);
  values[place] = value;
}

function putCodes(all: [string, number[]][], { codes, place }: Tick): void {
  const now = new Map(codes);
  for (const [code] of codes) if (!all.some(([known]) => known === code)) all.push([code, []]);
  for (const [code, values] of all) put(values, place, now.get(code) ?? 0, 0);
}

function putTarget(all: TargetSeries[], place: number, series: TargetSeries): void {
  let known = all.find(({ source, name }) => source === series.source && name === series.name);
  if (!known) {
    known = { ...series, values: [] };
    all.push(known);
  }
  put(known.values, place, series.values[0] ?? null, null);
}

function putCell(cells: Cell[], cell: Cell): void {
  const at = cells.findIndex((known) => (known[0] as number) >= (cell[0] as number));
  if (at < 0) cells.push(cell);
  else if (cells[at]?.[0] === cell[0]) cells[at] = cell;
  else cells.splice(at, 0, cell);
}
