// The axis of a load, which is what the trials of a study differ in.

import type uPlot from 'uplot';
import type { Chart } from './chart';
import type { Axis, Mark } from './chart-kind';
import type { LinesBlock } from './document';
import { axisNumber, figure } from './format';
import type { Zoom } from './shell';

/** The largest load by the least, from which an axis is logarithmic. */
const WIDE = 50;
/** Pixels between texts below the axis, at least. */
const GAP = 14;
/** Pixels of a character, about. */
const CHARACTER = 6.2;

/** The loads of a study, which all its charts over them share. */
export class LoadAxis implements Axis {
  readonly help = 'Use arrow keys to move along the load, plus and minus to zoom, Escape to show all.';
  readonly isTime = false;
  readonly key: string;
  private readonly texts = new Map<number, string>();
  private readonly charts: Chart[] = [];
  private readonly watchers: (() => void)[] = [];
  private whole: [number, number] = [Infinity, -Infinity];
  private shown: [number, number] | null = null;

  constructor(readonly name: string) {
    this.key = `load ${name}`;
  }

  add(chart: Chart): void {
    this.charts.push(chart);
  }

  /** Takes the places of a chart. */
  with({ xs, places }: LinesBlock): this {
    xs.forEach((x, at) => {
      const text = places[at];
      if (text) this.texts.set(x, text);
    });
    this.whole = [Math.min(this.whole[0], ...xs), Math.max(this.whole[1], ...xs)];
    return this;
  }

  watch(changed: () => void): void {
    this.watchers.push(changed);
  }

  get isZoomed(): boolean {
    return this.shown !== null;
  }

  /** Loads that were raised by factors would lie on one another at the lower end. */
  get isLogarithmic(): boolean {
    const [from, to] = this.whole;
    return from > 0 && to / from >= WIDE;
  }

  /** From zero, with the outermost dots whole. */
  range(): [number, number] {
    const [from, to] = this.whole;
    if (this.shown) return this.shown;
    if (from > to) return [0, 1];
    if (this.isLogarithmic) return [from / 1.15, to * 1.15];
    return [Math.min(0, from), to + (to - Math.min(0, from) || 1) * 0.02];
  }

  zoom(range: [number, number] | null): void {
    const [from, to] = this.whole;
    const inside = range && [Math.max(from, range[0]), Math.min(to, range[1])] as [number, number];
    this.shown = inside && inside[1] > inside[0] && (inside[0] > from || inside[1] < to) ? inside : null;
    for (const chart of this.charts) chart.update(true);
    for (const watcher of this.watchers) watcher();
  }

  at(x: number): string {
    return this.texts.get(x) ?? `${this.name} ${figure(x)}`;
  }

  row(x: number): string {
    return this.texts.get(x) ?? figure(x);
  }

  exact(x: number): string | number {
    return x;
  }

  marks(): Mark[] {
    return [];
  }

  ticks(): uPlot.Axis {
    return {
      splits: (plot) => this.fitting(plot),
      // Otherwise a logarithmic axis leaves out some.
      filter: (_, splits) => splits,
      values: (_, splits) => splits.map((x) => this.texts.get(x) ?? axisNumber(x)),
    };
  }

  /** Places whose texts do not overlap. */
  private fitting(plot: uPlot): number[] {
    const [from, to] = this.range();
    const width = plot.width - 90;
    const place = (x: number) => (this.isLogarithmic ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from));
    const found: number[] = [];
    let end = -Infinity;
    for (const x of [...this.texts.keys()].sort((a, b) => a - b)) {
      if (x < from || x > to) continue;
      const half = (this.row(x).length * CHARACTER) / 2;
      const middle = place(x) * width;
      if (middle - half < end + GAP) continue;
      found.push(x);
      end = middle + half;
    }
    return found;
  }
}

/** The zooms of all loads of a page as one. */
export function zoomOf(axes: LoadAxis[]): Zoom {
  const zoomed = () => axes.filter((axis) => axis.isZoomed);
  return {
    text: () => zoomed().map((axis) => `${axis.name} ${axis.range().map(figure).join(' to ')}`).join(', '),
    clear: () => zoomed().forEach((axis) => axis.zoom(null)),
    watch: (changed) => axes.forEach((axis) => axis.watch(changed)),
  };
}
