// An axis other than time, of which all its charts show the same part.

import type { Chart } from './chart';
import type { Mark } from './chart-kind';
import type { Zoom } from './shell';

export abstract class ZoomAxis {
  readonly isTime = false;
  /** What is shown; null: all. */
  protected shown: [number, number] | null = null;
  private readonly charts: Chart[] = [];
  private readonly watchers: (() => void)[] = [];

  /** Shows a part; null shows all. */
  abstract zoom(range: [number, number] | null): void;

  /** What is shown, in words. */
  abstract zoomText(): string;

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

  marks(): Mark[] {
    return [];
  }

  /** Shows a part of the whole if it is less than that, and at least so wide. */
  protected show(range: [number, number] | null, [from, to]: [number, number], least: number): void {
    const inside = range && [Math.max(from, range[0]), Math.min(to, range[1])] as [number, number];
    this.shown = inside && inside[1] - inside[0] >= least && (inside[0] > from || inside[1] < to) ? inside : null;
    for (const chart of this.charts) chart.update(true);
    for (const watcher of this.watchers) watcher();
  }
}

/** The zooms of all axes of a page as one. */
export function zoomOf(axes: ZoomAxis[]): Zoom {
  const zoomed = () => axes.filter((axis) => axis.isZoomed);
  return {
    text: () => zoomed().map((axis) => axis.zoomText()).join(', '),
    clear: () => zoomed().forEach((axis) => axis.zoom(null)),
    watch: (changed) => axes.forEach((axis) => axis.watch(changed)),
  };
}
