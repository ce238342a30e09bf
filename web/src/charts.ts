// Contents of each chart over time.

import type uPlot from 'uplot';
import { QUANTILES, type Cell, type TimeColumns } from './document';
import { Chart } from './chart';
import { codeStyle } from './codes';
import type { Axis, ChartContent, ChartKind, Line, Mark } from './chart-kind';
import { Histogram } from './histogram';
import { axisBytes, axisClock, axisNumber, BYTE_STEPS, bytes, clock, count, span } from './format';
import { PERCENTILE_LINES } from './percentile-lines';
import { eachBucket, type Store } from './store';
import { color, compareColor } from './theme';
import { UNITS } from './units';

/** Options that apply to all charts. */
export const choice = { percentile: 3, logarithmic: false };

/** The time of a run, which all its charts share. */
class TimeAxis implements Axis {
  readonly name = 'time';
  readonly help = 'Use arrow keys to move in time, plus and minus to zoom, Escape to show all.';
  readonly isTime = true;
  readonly key = 'time';

  constructor(private readonly store: Store) {}

  range(): [number, number] {
    const [from, to] = this.store.shown;
    return [from / 1000, to / 1000];
  }

  zoom(range: [number, number] | null): void {
    this.store.setRange(range && [range[0] * 1000, range[1] * 1000]);
  }

  at(x: number): string {
    return `${clock(x * 1000)} (${span(x - this.store.doc.start_ms / 1000)})`;
  }

  row(x: number): string {
    return clock(x * 1000);
  }

  exact(x: number): string {
    return new Date(x * 1000).toISOString();
  }

  /** Changes of the load. */
  marks(): Mark[] {
    return this.store.doc.events.map((event) => ({ x: event.at_ms / 1000, text: event.what }));
  }

  ticks(): uPlot.Axis {
    return { space: 84, values: (_, splits, __, ___, step) => splits.map((value) => axisClock(value * 1000, step * 1000)) };
  }
}

/** A chart over time, and what it shows of a run. */
export type TimeKind = Omit<ChartKind, 'content'> & { content: (store: Store) => ChartContent };

export function timeChart(store: Store, kind: TimeKind): Chart {
  return new Chart(new TimeAxis(store), { ...kind, content: () => kind.content(store) });
}

/** The middle of each point, in seconds since the epoch. */
export function times(store: Store): number[] {
  const { start_ms, time } = store.doc;
  return time.columns.seconds.map((_, at) => (start_ms + (at + 0.5) * time.width_ms) / 1000);
}

/** A count of each point as a rate. */
function perSecond(columns: TimeColumns, values: (number | null)[]): (number | null)[] {
  return values.map((value, at) => {
    const seconds = columns.seconds[at] ?? 0;
    return value === null || seconds <= 0 ? null : value / seconds;
  });
}

function line(name: string, of: string, values: (number | null)[], more: Partial<Line> = {}): Line {
  return { name, color: color(of), values, ...more };
}

function known(lines: Line[]): Line[] {
  return lines.filter((one) => one.values.some((value) => value !== null));
}

/** A figure of a cell, which lasted that many seconds. */
export type CellFigure = (cell: Cell, seconds: number) => number | null;

/** What a cell counts at that place, a second. */
export const rateOf = (place: number): CellFigure => (cell, seconds) => (seconds > 0 ? (cell[place] as number) / seconds : null);

/** The middle of each stretch of the cells, in seconds since the epoch. */
export function cellTimes(store: Store): number[] {
  const { start_ms, width_ms } = store.doc.cells;
  const places = Math.ceil((store.whole[1] - start_ms) / width_ms);
  return Array.from({ length: places }, (_, at) => (start_ms + (at + 0.5) * width_ms) / 1000);
}

/** A figure of all cells of a label; null where it has none. */
export function cellValues(store: Store, place: number, value: CellFigure): (number | null)[] {
  const places = cellTimes(store).length;
  const seconds = secondsOfCells(store, places);
  const values = new Array<number | null>(places).fill(null);
  for (const cell of store.cells(place) ?? []) {
    const where = cell[0] as number;
    if (where < places) values[where] = value(cell, seconds[where] ?? 0);
  }
  return values;
}

/** One line per compared label, from its cells. */
function compared(store: Store, value: CellFigure): ChartContent {
  const xs = cellTimes(store);
  const lines = store.compared.map((place, at): Line => {
    const values = cellValues(store, place, value);
    return { name: store.name(place), color: compareColor(at), values, dash: at >= 3 };
  });
  return { xs, lines, empty: 'These labels only have figures for the whole run' };
}

function secondsOfCells(store: Store, places: number): number[] {
  const { cells, time, start_ms } = store.doc;
  const sums = new Array<number>(places).fill(0);
  time.columns.seconds.forEach((seconds, at) => {
    const where = Math.floor((start_ms + at * time.width_ms - cells.start_ms) / cells.width_ms);
    if (where < places) sums[where] = (sums[where] as number) + seconds;
  });
  return sums;
}

export function quantileOf(cell: Cell, quantile: number): number | null {
  const all = new Histogram();
  eachBucket(cell, (bucket, times) => all.add(bucket, times));
  return all.quantiles([quantile])[0] ?? null;
}

function responseTimes(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const { percentile, logarithmic } = choice;
  if (store.compared.length > 0) {
    const quantile = QUANTILES[percentile] ?? 0.5;
    return { ...compared(store, (cell) => quantileOf(cell, quantile)), logarithmic };
  }
  const lines = PERCENTILE_LINES.map(({ name, column, ...more }) => line(name, column, columns[column], more));
  return { xs: times(store), lines, empty: 'No samples', logarithmic };
}

function rates(store: Store): ChartContent {
  if (store.compared.length > 0) {
    return compared(store, rateOf(1));
  }
  const { columns } = store.doc.time;
  const lines = [
    line('reached', 'rate', perSecond(columns, columns.samples), { area: true }),
    line('wanted', 'wanted', columns.wanted_per_s, { dash: true }),
  ];
  return { xs: times(store), lines: known(lines), empty: 'No samples' };
}

const KIND_COLORS = ['bad', 'compare-2', 'compare-3', 'compare-5', 'compare-4', 'compare-6'];

function errors(store: Store): ChartContent {
  if (store.compared.length > 0) {
    return compared(store, rateOf(2));
  }
  const { columns, kinds } = store.doc.time;
  const lines = Object.entries(kinds).map(([name, values], at) =>
    line(name, KIND_COLORS[at % KIND_COLORS.length] ?? 'bad', perSecond(columns, values), { dash: at >= KIND_COLORS.length, area: at === 0 }));
  return { xs: times(store), lines, empty: 'No failed samples' };
}

/** Codes that have a line; the others are summed. */
const MOST_CODES = 8;

function codes(store: Store): ChartContent {
  const { columns, codes: all } = store.doc.time;
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const shown = all.length <= MOST_CODES ? all : topCodes(all, total);
  const lines = shown.map(([code, values], at) => {
    const { of, dash, dots } = codeStyle(code, shown.slice(0, at).map(([before]) => before));
    return line(code, of, perSecond(columns, values), { dash, dots });
  });
  return { xs: times(store), lines, empty: 'No response codes were recorded' };
}

/** The most frequent ones in their order, and the sum of the rest. */
function topCodes(all: [string, number[]][], total: (values: number[]) => number): [string, number[]][] {
  const kept = new Set([...all].sort((a, b) => total(b[1]) - total(a[1])).slice(0, MOST_CODES - 1).map(([code]) => code));
  const rest = all.filter(([code]) => !kept.has(code)).map(([, values]) => values);
  const sum = (rest[0] ?? []).map((_, at) => rest.reduce((most, values) => most + (values[at] ?? 0), 0));
  return [...all.filter(([code]) => kept.has(code)), [`${rest.length} more codes`, sum]];
}

function stages(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const lines = [
    line('first byte p95', 'p95', columns.first_byte_p95, { width: 1 }),
    line('first byte p50', 'p50', columns.first_byte_p50, { width: 2 }),
    line('connection p95', 'p99', columns.connect_p95, { width: 1, dash: true, overGaps: true }),
    line('connection p50', 'users', columns.connect_p50, { dash: true, overGaps: true }),
  ];
  return { xs: times(store), lines: known(lines), empty: 'Neither first bytes nor connections were timed', logarithmic: choice.logarithmic };
}

function users(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const lines = [
    line('running', 'users', columns.users, { area: true }),
    line('wanted', 'wanted', columns.wanted_users, { dash: true }),
  ];
  return { xs: times(store), lines: known(lines), empty: 'The number of users was not recorded' };
}

function traffic(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const any = columns.received.some((value) => value > 0) || columns.sent.some((value) => value > 0);
  const lines = any
    ? [line('received', 'received', perSecond(columns, columns.received), { area: true }), line('sent', 'sent', perSecond(columns, columns.sent))]
    : [];
  return { xs: times(store), lines, empty: 'No bytes were recorded' };
}

function connections(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const any = columns.connects.some((value) => value > 0);
  const lines = any ? [line('new', 'users', perSecond(columns, columns.connects), { area: true })] : [];
  return { xs: times(store), lines, empty: 'No connections were recorded' };
}

function ownDelay(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const lines = [line('late starts', 'p99', columns.start_delay), line('late reads', 'p50', columns.read_delay, { dash: true })];
  return { xs: times(store), lines: known(lines), empty: 'Not measured' };
}

function machine(store: Store): ChartContent {
  const { columns } = store.doc.time;
  const lines = [line('busiest worker', 'rate', columns.worker_cpu), line('whole machine', 'users', columns.machine_cpu, { dash: true })];
  return { xs: times(store), lines: known(lines), empty: 'Not measured', top: 1 };
}

const KINDS: TimeKind[] = [
  {
    title: 'Response times',
    caption: 'Response time percentiles over time: p50, p95, p99 and p99.9, or one percentile per compared label.',
    ...UNITS.ms,
    content: responseTimes,
  },
  { title: 'Samples a second', caption: 'Finished samples a second, and the requested rate.', ...UNITS.per_s, content: rates },
  { title: 'Failed samples a second', caption: 'Failed samples a second, by kind of failure.', ...UNITS.per_s, content: errors },
  { title: 'Response codes a second', caption: 'Samples a second by the code of their response, of all labels together.', ...UNITS.per_s, content: codes },
  {
    title: 'First byte and connection times',
    caption: 'Median and 95th percentile of the times from the start of a sample to the first byte, and to its connection if it made one.',
    ...UNITS.ms,
    content: stages,
  },
  { title: 'Users', caption: 'Running virtual users, and the number requested by the plan.', value: count, axis: axisNumber, unit: '', content: users },
  { title: 'Network', caption: 'Bytes received and sent a second.', value: (v) => `${bytes(v)}/s`, axis: axisBytes, steps: BYTE_STEPS, unit: 'bytes per second', content: traffic },
  { title: 'New connections a second', caption: 'Connections opened a second.', ...UNITS.per_s, content: connections },
];

/** Charts of the tool and its machine. */
const OWN_KINDS: TimeKind[] = [
  { title: "The tool's own error", caption: "99th percentile of the tool's late starts and late reads.", ...UNITS.ms, content: ownDelay },
  { title: 'Load of this machine', caption: 'Share of time that the busiest worker and the whole machine were busy.', ...UNITS.share, content: machine },
];

/** All charts over time of what was tested, in order. */
export function timeCharts(store: Store): Chart[] {
  return KINDS.map((kind) => timeChart(store, kind));
}

/** The charts over time of the load generator. */
export function ownCharts(store: Store): Chart[] {
  return OWN_KINDS.map((kind) => timeChart(store, kind));
}
