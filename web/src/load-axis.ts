// The axis of a load, which is what the trials of a study differ in.

import type uPlot from 'uplot';
import type { Axis } from './chart-kind';
import type { LinesBlock } from './document';
import { axisNumber, figure } from './format';
import { ZoomAxis } from './zoom-axis';

/** The largest load by the least, from which an axis is logarithmic. */
const WIDE = 50;
/** Pixels between texts below the axis, at least. */
const GAP = 14;
/** Pixels of a character, about. */
const CHARACTER = 6.2;

/** The loads of a study, which all its charts over them share. */
export class LoadAxis extends ZoomAxis implements Axis {
  readonly help = 'Use arrow keys to move along the load, plus and minus to zoom, Escape to show all.';
  readonly key: string;
  private readonly texts = new Map<number, string>();
  private whole: [number, number] = [Infinity, -Infinity];

  constructor(readonly name: string) {
    super();
    this.key = `load ${name}`;
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
    this.show(range, this.whole, Number.MIN_VALUE);
  }

  zoomText(): string {
    return `${this.name} ${this.range().map(figure).join(' to ')}`;
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
