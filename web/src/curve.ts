// Percentiles as a curve: nines to the right, times on a logarithmic scale. Half of all samples lie below the median, so the first two
// steps of the axis are 0 to 50 % and 50 to 90 %, each as wide as a nine.

import type uPlot from 'uplot';
import { Chart } from './chart';
import type { Axis, ChartContent, Mark } from './chart-kind';
import { axisMs, count, DASH, duration } from './format';
import { bounds, type Histogram } from './histogram';
import { nines, place, quantileAt } from './nines';
import type { Store } from './store';
import { figures } from './table';
import { color, compareColor } from './theme';

/** Marks of the axis. */
const MARKS: [number, string][] = [
  [0, '0 %'], [0.5, '50 %'], [0.75, '75 %'], [0.9, '90 %'], [0.95, '95 %'], [0.99, '99 %'], [0.999, '99.9 %'], [0.9999, '99.99 %'], [0.99999, '99.999 %'], [0.999999, '99.9999 %'],
];

/** Percentiles of the table, as far as there are enough samples. */
const LISTED = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];

interface Curve {
  name: string;
  color: string;
  dash: boolean;
  histogram: Histogram;
}

class NinesAxis implements Axis {
  readonly name = 'percentile';
  readonly help = 'Use arrow keys to move along the curve.';
  readonly isTime = false;
  readonly key = null;
  /** The place of the last sample. */
  end = 2;

  range(): [number, number] {
    return [0, this.end];
  }

  at(x: number): string {
    return `p${Number((100 * quantileAt(x)).toPrecision(6))}`;
  }

  row(x: number): string {
    return this.at(x);
  }

  exact(x: number): number {
    return Number((100 * quantileAt(x)).toPrecision(8));
  }

  marks(): Mark[] {
    return [];
  }

  ticks(width: number): uPlot.Axis {
    const shown = () => this.fitting((width - 90) / this.end);
    return { splits: () => shown().map(([quantile]) => place(nines(quantile))), values: () => shown().map(([, name]) => name), filter: (_, splits) => splits };
  }

  /** Marks whose texts do not overlap, at that number of pixels a step: those between two steps give way. */
  private fitting(step: number): [number, string][] {
    const inside = MARKS.filter(([quantile]) => place(nines(quantile)) <= this.end + 0.01);
    const isBetween = ([quantile]: [number, string]) => quantile === 0.75 || quantile === 0.95;
    const found: [number, string][] = [];
    for (const mark of step < 90 ? inside.filter((mark) => !isBetween(mark)) : inside) {
      const last = found.at(-1);
      if (!last || (place(nines(mark[0])) - place(nines(last[0]))) * step >= 31) found.push(mark);
    }
    return found;
  }
}

export class PercentileCurve {
  readonly element: HTMLElement;
  private readonly axis = new NinesAxis();
  private readonly chart: Chart;

  /** Of the label that is given; else of those that are compared, or of all together. */
  constructor(private readonly store: Store, private readonly label?: () => number | null) {
    this.chart = new Chart(this.axis, {
      title: 'Percentiles', caption: 'Response time by percentile.', value: duration, axis: axisMs, unit: 'ms', tall: true,
      content: () => this.content(), table: () => quantileTable(this.curves()),
    });
    this.element = this.chart.element;
  }

  update(): void {
    this.chart.update();
  }

  private content(): ChartContent {
    const curves = this.curves();
    const most = Math.max(1, ...curves.map((curve) => curve.histogram.total));
    this.axis.end = Math.max(2, place(Math.log10(most)));
    const xs = steps(this.axis.end);
    const lines = curves.map(({ name, color, dash, histogram }) => ({ name, color, dash, width: 2, values: values(histogram, xs) }));
    return { xs, lines, empty: 'No samples', logarithmic: true };
  }

  private curves(): Curve[] {
    const alone = this.label?.() ?? null;
    const compared = this.label ? (alone === null ? [] : [alone]) : this.store.compared;
    const all = compared.length === 0
      ? [{ name: 'all samples', color: color('rate'), dash: false, histogram: this.store.histogram(null) }]
      : compared.map((place, at) => ({
          name: this.store.name(place), color: compareColor(at), dash: at >= 3, histogram: this.store.histogram(place),
        }));
    return all.flatMap((curve) => (curve.histogram && curve.histogram.total > 0 ? [{ ...curve, histogram: curve.histogram }] : []));
  }
}

/** Places on the axis, forty a step, up to the last sample. */
function steps(end: number): number[] {
  return Array.from({ length: Math.ceil(end * 40) + 1 }, (_, at) => Math.min(end, at / 40));
}

function values(histogram: Histogram, xs: number[]): (number | null)[] {
  const last = place(Math.log10(histogram.total));
  const found = histogram.quantiles(xs.map(quantileAt));
  return xs.map((x, at) => (x <= last + 1e-9 ? (found[at] ?? null) : null));
}

function quantileTable(curves: Curve[]): HTMLElement {
  const most = Math.max(0, ...curves.map((curve) => curve.histogram.total));
  const rows = LISTED.filter((quantile) => nines(quantile) <= Math.log10(most) + 1e-9).map((quantile) =>
    [`p${Number((100 * quantile).toPrecision(7))}`, ...curves.map(({ histogram }) =>
      (nines(quantile) <= Math.log10(histogram.total) + 1e-9 ? duration(histogram.quantiles([quantile])[0]) : DASH))]);
  return figures('Percentiles', ['percentile', ...curves.map((curve) => curve.name)], rows);
}

/** The distribution as a table: ranges of equal ratio with their counts. */
export function distributionTable(histogram: Histogram): HTMLElement {
  const octaves = new Map<number, number>();
  for (const [bucket, times] of histogram.sorted()) {
    const octave = Math.floor(Math.log2(Math.max(1, bounds(bucket)[0])));
    octaves.set(octave, (octaves.get(octave) ?? 0) + times);
  }
  const rows = [...octaves].map(([octave, times]) => [`${axisMs(2 ** octave / 1000)} to ${axisMs(2 ** (octave + 1) / 1000)}`, count(times)]);
  return figures('Samples by response time', ['response time', 'samples'], rows);
}
