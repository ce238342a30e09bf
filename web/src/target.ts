// Charts of the machine and the processes under test. Only the figures that were read decide which charts exist.

import type { Chart } from './chart';
import type { ChartContent, Line } from './chart-kind';
import { timeChart, times, type TimeKind } from './charts';
import type { TargetSeries } from './document';
import { h, setText } from './dom';
import { axisNumber, figure } from './format';
import type { Store } from './store';
import { inSight } from './target-sight';
import { compareColor } from './theme';
import { UNITS } from './units';

const COLORS = 6;

/** A limit is drawn only if a quarter of it is reached; otherwise it would flatten the other lines. */
const NEAR = 0.25;

/** Figures that are the remainder of the others. */
const HIDDEN = new Set(['machine_idle']);

/** Each figure named by an exporter has a separate chart. */
function chartOf(series: TargetSeries): string {
  return series.unit === 'own' || (series.unit === 'per_s' && series.name.includes('{')) || series.chart.endsWith('other figures')
    ? `Target: ${series.name.replace(/\{.*/, '')}`
    : series.chart;
}

function largest(values: (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** Its name, with the source if several sources have the figure. */
function named(series: TargetSeries, shown: TargetSeries[]): string {
  const labels = /\{(.*)\}$/.exec(series.name);
  const name = labels?.[1] ?? series.name.replace(/^machine_/, '').replaceAll('_', ' ');
  return shown.some((other) => other !== series && other.name === series.name) ? `${series.source}: ${name}` : name;
}

function content(store: Store, title: string): ChartContent {
  const all = store.doc.time.target.filter((series) => chartOf(series) === title && !HIDDEN.has(series.name));
  const top = all.reduce((most, series) => (series.limit ? most : Math.max(most, largest(series.values))), 0);
  const shown = all.filter((series) => !series.limit || top >= NEAR * largest(series.values));
  const xs = times(store);
  const lines = shown.map((series, at): Line => ({
    name: named(series, shown),
    color: compareColor(at % COLORS),
    values: xs.map((_, place) => series.values[place] ?? null),
    dash: series.limit || at >= COLORS,
    width: series.limit ? 1 : 1.6,
    // A reading that is slightly late counts for the next point.
    overGaps: true,
  }));
  return { xs, lines, empty: 'No data', ...(all[0]?.unit === 'share' ? { top: 1 } : {}) };
}

function kind(title: string, unit: TargetSeries['unit']): TimeKind {
  const caption = `${title}, read once a second during the test.`;
  const shape = { title, caption, content: (store: Store) => content(store, title) };
  switch (unit) {
    case 'share': case 'bytes': case 'per_s': return { ...shape, ...UNITS[unit] };
    default: return { ...shape, value: figure, axis: axisNumber, unit: '' };
  }
}

/** The section of the target; hidden until something was read. */
export class TargetCharts {
  readonly element: HTMLElement;
  private readonly grid = h('div', { class: 'grid' });
  private readonly others = h('div', { class: 'grid' });
  private readonly summary = h('summary');
  private readonly more = h('details', { class: 'more-charts', hidden: true }, this.summary, this.others);
  private readonly charts = new Map<string, Chart>();

  constructor(private readonly store: Store) {
    this.element = h('section', { id: 'target', hidden: true }, h('h2', {}, 'The target'), this.grid, this.more);
  }

  update(): void {
    const { target } = this.store.doc.time;
    this.element.hidden = target.length === 0;
    const before = this.charts.size;
    for (const series of target) {
      const title = chartOf(series);
      if (this.charts.has(title) || HIDDEN.has(series.name)) continue;
      this.charts.set(title, timeChart(this.store, kind(title, series.unit)));
    }
    if (this.charts.size > before) this.arrange();
    for (const chart of this.charts.values()) chart.update();
  }

  private arrange(): void {
    const first = new Set(inSight([...this.charts.keys()]));
    const elements = (isFirst: boolean) => [...this.charts].filter(([title]) => first.has(title) === isFirst).map(([, chart]) => chart.element);
    this.grid.replaceChildren(...elements(true));
    this.others.replaceChildren(...elements(false));
    const others = this.charts.size - first.size;
    this.more.hidden = others === 0;
    setText(this.summary, others === 1 ? 'One more chart' : `${others} more charts`);
  }
}
