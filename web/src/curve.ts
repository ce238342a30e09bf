// Percentiles as a curve: nines to the right, times on a logarithmic scale.

import uPlot from 'uplot';
import { h, setText, swatch } from './dom';
import { axisMs, count, DASH, duration } from './format';
import { bounds, type Histogram } from './histogram';
import type { Store } from './store';
import { color, compareColor, onLook } from './theme';

const HEIGHT = 260;

/** Marks of the axis: quantiles at even distances of nines. */
const MARKS: [number, string][] = [
  [0, '0 %'], [0.5, '50 %'], [0.9, '90 %'], [0.99, '99 %'], [0.999, '99.9 %'], [0.9999, '99.99 %'], [0.99999, '99.999 %'], [0.999999, '99.9999 %'],
];

/** How far to the right a quantile stands: -log10(1 - q). */
const nines = (quantile: number) => -Math.log10(1 - quantile);

interface Curve {
  name: string;
  color: string;
  dash: boolean;
  histogram: Histogram;
}

export class PercentileCurve {
  readonly element: HTMLElement;
  private readonly place = h('div', { class: 'plot tall', tabindex: '0', role: 'group', 'aria-label': 'Percentiles. Arrow keys move along them.' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly when = h('span', { class: 'when' });
  /** What the cursor is at, aloud, where keys moved it. */
  private readonly spoken = h('span', { class: 'for-readers', role: 'status' });
  private readonly table = h('div', { class: 'scroll as-table', hidden: true, tabindex: '0' });
  private plot: uPlot | null = null;
  private values: HTMLElement[] = [];

  constructor(private readonly store: Store) {
    this.element = h(
      'figure',
      { class: 'chart card' },
      h('div', { class: 'chart-head' }, h('h3', {}, 'Percentiles'), this.when, tableButton('Percentiles as a table', this.table)),
      this.legend,
      this.place,
      this.spoken,
      this.table,
      h('figcaption', { class: 'for-readers' }, 'Response time by percentile.'),
    );
    this.place.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.place);
    addEventListener('beforeprint', () => this.resize());
    onLook(() => this.update());
  }

  update(): void {
    this.plot?.destroy();
    this.plot = null;
    const curves = this.curves();
    this.place.dataset['empty'] = curves.length === 0 ? 'No samples' : '';
    this.values = curves.map(() => h('b', {}));
    this.legend.replaceChildren(...curves.map((curve, at) =>
      h('span', { class: 'entry' }, swatch(curve.color, curve.dash), curve.name, this.values[at] as HTMLElement)));
    this.table.replaceChildren(quantileTable(curves));
    if (curves.length === 0) return;
    const most = Math.max(...curves.map((curve) => curve.histogram.total));
    const xs = steps(most);
    const data = [xs, ...curves.map((curve) => values(curve.histogram, xs))] as uPlot.AlignedData;
    this.plot = new uPlot(this.options(curves, most), data, this.place);
  }

  private curves(): Curve[] {
    const { compared, doc } = this.store;
    const all = compared.length === 0
      ? [{ name: 'all samples', color: color('rate'), dash: false, histogram: this.store.histogram(null) }]
      : compared.map((place, at) => ({
          name: doc.labels[place]?.label ?? '', color: compareColor(at), dash: at >= 3, histogram: this.store.histogram(place),
        }));
    return all.flatMap((curve) => (curve.histogram && curve.histogram.total > 0 ? [{ ...curve, histogram: curve.histogram }] : []));
  }

  private options(curves: Curve[], most: number): uPlot.Options {
    const axis = { stroke: color('soft'), grid: { stroke: color('grid'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const end = Math.max(1, Math.log10(most));
    // A narrow chart has no room for the first marks, which stand close.
    const gap = (this.width() - 90) / end;
    const fits = (at: number) => at === 0 || at === 2 || nines(MARKS[at]?.[0] ?? 0) * gap > 40;
    const marks = MARKS.filter(([quantile], at) => nines(quantile) <= end + 0.01 && fits(at));
    return {
      width: this.width(),
      height: HEIGHT,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [0, end] },
        y: { distr: 3, range: (_, min, max) => [Math.max(min, 1e-3) / 1.2, Math.max(max, 2e-3) * 1.2] },
      },
      axes: [
        { ...axis, size: 26, splits: () => marks.map(([quantile]) => nines(quantile)), values: () => marks.map(([, name]) => name) },
        { ...axis, size: 62, values: (_, splits) => splits.map((value) => (value === null ? '' : axisMs(value))) },
      ],
      series: [{}, ...curves.map((curve) => ({ stroke: curve.color, width: 2, points: { show: false }, ...(curve.dash ? { dash: [5, 4] } : {}) }))],
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      hooks: { setCursor: [(plot) => this.show(plot, curves)] },
    };
  }

  private key(event: KeyboardEvent): void {
    const plot = this.plot;
    if (!plot) return;
    const last = plot.data[0].length - 1;
    const [at, step] = [plot.cursor.idx ?? null, event.shiftKey ? 10 : 1];
    const to = { ArrowLeft: (at ?? last + 1) - step, ArrowRight: (at ?? -1) + step, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const x = plot.data[0][Math.min(last, Math.max(0, to))] ?? 0;
    plot.setCursor({ left: plot.valToPos(x, 'x'), top: plot.over.clientHeight / 2 });
    const values = [...this.legend.children].map((entry) => `, ${[...entry.childNodes].map((part) => part.textContent).filter(Boolean).join(' ')}`);
    setText(this.spoken, `${this.when.textContent}${values.join('')}`);
  }

  private resize(): void {
    this.plot?.setSize({ width: this.width(), height: HEIGHT });
  }

  private width(): number {
    return Math.max(200, this.place.clientWidth);
  }

  private show(plot: uPlot, curves: Curve[]): void {
    const at = plot.cursor.idx;
    const x = at === null || at === undefined ? undefined : plot.data[0][at];
    setText(this.when, x === undefined ? '' : `p${Number((100 * (1 - 10 ** -x)).toPrecision(6))}`);
    curves.forEach((_, place) => {
      const value = at === null || at === undefined ? null : plot.data[place + 1]?.[at];
      const element = this.values[place];
      if (element) setText(element, value === null || value === undefined ? '' : duration(value));
    });
  }
}

/** Places on the axis, forty a nine, up to the last sample. */
function steps(samples: number): number[] {
  const end = Math.max(1, Math.log10(Math.max(samples, 1)));
  return Array.from({ length: Math.ceil(end * 40) + 1 }, (_, at) => Math.min(end, at / 40));
}

function values(histogram: Histogram, xs: number[]): (number | null)[] {
  const last = Math.log10(histogram.total);
  const found = histogram.quantiles(xs.map((x) => 1 - 10 ** -x));
  return xs.map((x, at) => (x <= last + 1e-9 ? (found[at] ?? null) : null));
}

/** Percentiles that a table has, as far as there are samples for them. */
const LISTED = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];

function quantileTable(curves: Curve[]): HTMLElement {
  const most = Math.max(0, ...curves.map((curve) => curve.histogram.total));
  const rows = LISTED.filter((quantile) => nines(quantile) <= Math.log10(most) + 1e-9).map((quantile) =>
    h('tr', {}, h('th', { scope: 'row' }, `p${Number((100 * quantile).toPrecision(7))}`), ...curves.map(({ histogram }) =>
      h('td', {}, nines(quantile) <= Math.log10(histogram.total) + 1e-9 ? duration(histogram.quantiles([quantile])[0]) : DASH))));
  const head = h('tr', {}, h('th', { scope: 'col' }, 'percentile'), ...curves.map((curve) => h('th', { scope: 'col' }, curve.name)));
  return h('table', {}, h('caption', {}, 'Percentiles'), h('thead', {}, head), h('tbody', {}, ...rows));
}

/** A button that shows a table and hides it. */
export function tableButton(name: string, table: HTMLElement): HTMLButtonElement {
  const button = h('button', { class: 'quiet', type: 'button', 'aria-expanded': 'false', 'aria-label': name }, 'table');
  button.addEventListener('click', () => {
    table.hidden = !table.hidden;
    button.setAttribute('aria-expanded', String(!table.hidden));
  });
  return button;
}

/** The distribution as a table: ranges of equal ratio with their counts. */
export function distributionTable(histogram: Histogram): HTMLElement {
  const octaves = new Map<number, number>();
  for (const [bucket, times] of histogram.sorted()) {
    const octave = Math.floor(Math.log2(Math.max(1, bounds(bucket)[0])));
    octaves.set(octave, (octaves.get(octave) ?? 0) + times);
  }
  const rows = [...octaves].map(([octave, times]) =>
    h('tr', {}, h('th', { scope: 'row' }, `${axisMs(2 ** octave / 1000)} to ${axisMs(2 ** (octave + 1) / 1000)}`), h('td', {}, count(times))));
  const head = h('tr', {}, h('th', { scope: 'col' }, 'response time'), h('th', { scope: 'col' }, 'samples'));
  return h('table', {}, h('caption', {}, 'Samples by response time'), h('thead', {}, head), h('tbody', {}, ...rows));
}
