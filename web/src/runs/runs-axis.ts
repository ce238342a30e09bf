// The axis of a trend: one place a run, in the order of their starts.

import type uPlot from 'uplot';
import type { Chart } from '../chart';
import type { Axis, Mark } from '../chart-kind';
import { date } from '../format';
import type { Trend, TrendRun } from './data';
import { short } from './places';

/** Pixels between texts below the axis. */
const GAP = 96;

export class RunsAxis implements Axis {
  readonly name = 'run';
  readonly help = 'Use arrow keys to move along the runs, plus and minus to zoom, Escape to show all.';
  readonly isTime = false;
  readonly key = 'runs';
  private readonly charts: Chart[] = [];
  private readonly watchers: (() => void)[] = [];
  private shown: [number, number] | null = null;

  /** `atCursor` is called with the run that the cursor is at. */
  constructor(private readonly trend: Trend, private readonly atCursor: (place: number) => void) {}

  add(chart: Chart): Chart {
    this.charts.push(chart);
    return chart;
  }

  watch(changed: () => void): void {
    this.watchers.push(changed);
  }

  get isZoomed(): boolean {
    return this.shown !== null;
  }

  range(): [number, number] {
    const last = Math.max(1, this.trend.runs.length - 1);
    return this.shown ?? [-0.5, last + 0.5];
  }

  zoom(range: [number, number] | null): void {
    const last = this.trend.runs.length - 0.5;
    const inside = range && [Math.max(-0.5, range[0]), Math.min(last, range[1])] as [number, number];
    this.shown = inside && inside[1] - inside[0] >= 1 && (inside[0] > -0.5 || inside[1] < last) ? inside : null;
    for (const chart of this.charts) chart.update(true);
    for (const watcher of this.watchers) watcher();
  }

  run(x: number): TrendRun | undefined {
    return this.trend.runs[Math.round(x)];
  }

  at(x: number): string {
    const run = this.run(x);
    if (!run) return '';
    this.atCursor(Math.round(x));
    const failed = run.thresholds_failed ? '; thresholds failed' : '';
    return `${short(run.name, 50)}, ${date(run.start_ms).slice(0, 16)}${run.version ? `, version ${short(run.version, 30)}` : ''}${failed}`;
  }

  row(x: number): string {
    return this.run(x)?.name ?? '';
  }

  exact(x: number): string {
    return this.row(x);
  }

  marks(): Mark[] {
    return [];
  }

  ticks(): uPlot.Axis {
    const places = (plot: uPlot) => {
      const [from, to] = this.range();
      const step = Math.max(1, Math.ceil(((to - from) * GAP) / Math.max(1, plot.width - 90)));
      const first = Math.ceil(Math.max(0, from) / step) * step;
      const found: number[] = [];
      for (let at = first; at <= Math.min(to, this.trend.runs.length - 1); at += step) found.push(at);
      return found;
    };
    return {
      splits: places,
      values: (_, splits) => splits.map((x) => {
        const run = this.run(x);
        return run ? date(run.start_ms).slice(0, 10) : '';
      }),
    };
  }
}
