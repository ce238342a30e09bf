// The axis of a trend: one place a run, in the order of their starts.

import type uPlot from 'uplot';
import type { Axis } from '../chart-kind';
import { date, minute } from '../format';
import { ZoomAxis } from '../zoom-axis';
import type { Trend, TrendRun } from './data';
import { short } from './places';

/** Pixels between texts below the axis. */
const GAP = 96;

export class RunsAxis extends ZoomAxis implements Axis {
  readonly name = 'run';
  readonly help = 'Use arrow keys to move along the runs, plus and minus to zoom, Escape to show all.';
  readonly key = 'runs';

  /** `atCursor` is called with the run that the cursor is at. */
  constructor(private readonly trend: Trend, private readonly atCursor: (place: number) => void) {
    super();
  }

  range(): [number, number] {
    const last = Math.max(1, this.trend.runs.length - 1);
    return this.shown ?? [-0.5, last + 0.5];
  }

  zoom(range: [number, number] | null): void {
    this.show(range, [-0.5, this.trend.runs.length - 0.5], 1);
  }

  zoomText(): string {
    const [from, to] = this.range();
    return `runs ${Math.ceil(from) + 1} to ${Math.floor(to) + 1}`;
  }

  run(x: number): TrendRun | undefined {
    return this.trend.runs[Math.round(x)];
  }

  at(x: number): string {
    const run = this.run(x);
    if (!run) return '';
    this.atCursor(Math.round(x));
    const failed = run.thresholds_failed ? '; thresholds failed' : '';
    return `${short(run.name, 50)}, ${minute(run.start_ms)}${run.version ? `, version ${short(run.version, 30)}` : ''}${failed}`;
  }

  row(x: number): string {
    return this.run(x)?.name ?? '';
  }

  exact(x: number): string {
    return this.row(x);
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
