// A chart over time: uPlot with a legend that holds exact values, a cursor by keyboard, zoom that all charts share, and its
// figures as a table.

import uPlot from 'uplot';
import { h, setText, swatch } from './dom';
import { axisClock, clock, span } from './format';
import type { Store } from './store';
import { color, faded, onLook } from './theme';

export interface Line {
  name: string;
  color: string;
  values: (number | null)[];
  dash?: boolean;
  /** Filled down to zero. */
  area?: boolean;
  width?: number;
  /** Filled between this line and that of the place. */
  bandTo?: number;
  /** Drawn over points at which it is not known. */
  overGaps?: boolean;
}

export interface ChartContent {
  /** Seconds since the epoch, rising. */
  xs: number[];
  lines: Line[];
  /** Said in place of a chart without data. */
  empty: string;
  logarithmic?: boolean;
  /** The largest value that the axis always shows. */
  top?: number;
}

export interface ChartKind {
  title: string;
  /** What it shows, in words, for who does not see it. */
  caption: string;
  /** A value in the legend. */
  value: (value: number) => string;
  /** A value on the axis. */
  axis: (value: number) => string;
  /** Distances between marks of the axis, where they are not decimal. */
  steps?: number[];
  content: (store: Store) => ChartContent;
}

const HEIGHT = 190;
const TABLE_ROWS = 60;
const SYNC = uPlot.sync('time');

/** Vertical lines at changes of the load. */
function marks(store: Store): uPlot.Plugin {
  return {
    hooks: {
      draw: (plot) => {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = color('mark');
        ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.lineWidth = devicePixelRatio;
        for (const event of store.doc.events) {
          const x = plot.valToPos(event.at_ms / 1000, 'x', true);
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      },
    },
  };
}

export class TimeChart {
  readonly element: HTMLElement;
  private readonly plotPlace = h('div', { class: 'plot', tabindex: '0', role: 'group' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly when = h('span', { class: 'when' });
  /** What the cursor is at, aloud, where keys moved it. */
  private readonly spoken = h('span', { class: 'for-readers', role: 'status' });
  private readonly table = h('div', { class: 'scroll as-table', hidden: true });
  private readonly tableButton: HTMLButtonElement;
  private plot: uPlot | null = null;
  private shape = '';
  private content: ChartContent = { xs: [], lines: [], empty: '' };
  private values: HTMLElement[] = [];
  private cursor: number | null = null;
  private visible = true;

  constructor(private readonly store: Store, private readonly kind: ChartKind) {
    this.tableButton = h('button', { class: 'quiet', type: 'button', 'aria-expanded': 'false', onclick: () => this.toggleTable() }, 'table');
    this.tableButton.setAttribute('aria-label', `${kind.title} as a table`);
    this.plotPlace.setAttribute('aria-label', `${kind.title}. Arrow keys move along the time, plus and minus zoom, Escape shows all.`);
    this.plotPlace.addEventListener('keydown', (event) => this.key(event));
    this.element = h(
      'figure',
      { class: 'chart card' },
      h('div', { class: 'chart-head' }, h('h3', {}, kind.title), this.when, this.tableButton),
      this.legend,
      this.plotPlace,
      this.spoken,
      this.table,
      h('figcaption', { class: 'for-readers' }, kind.caption),
    );
    new ResizeObserver(() => this.resize()).observe(this.plotPlace);
    new IntersectionObserver((seen) => {
      this.visible = seen.some((entry) => entry.isIntersecting);
      if (this.visible) this.update();
    }, { rootMargin: '400px' }).observe(this.element);
    onLook(() => {
      this.shape = '';
      this.update();
    });
    addEventListener('beforeprint', () => {
      this.update(true);
      this.resize();
    });
  }

  /** Shows what there is now; charts far from the window wait until they are near. */
  update(always = false): void {
    if (!this.visible && this.plot && !always) return;
    this.content = this.kind.content(this.store);
    const { lines, xs, empty, logarithmic } = this.content;
    const isEmpty = !lines.some((line) => line.values.some((value) => value !== null));
    this.element.classList.toggle('empty', isEmpty);
    this.plotPlace.dataset['empty'] = isEmpty ? empty : '';
    const shape = `${isEmpty} ${logarithmic} ${lines.map((line) => `${line.name}\n${line.color}`).join('\n')}`;
    const data = [xs, ...lines.map((line) => line.values)] as uPlot.AlignedData;
    if (shape !== this.shape || !this.plot) {
      this.shape = shape;
      this.build(data, isEmpty);
    } else {
      this.plot.setData(data);
    }
    this.showValues();
    if (!this.table.hidden) this.fillTable();
  }

  private build(data: uPlot.AlignedData, isEmpty: boolean): void {
    this.plot?.destroy();
    this.plot = null;
    this.values = this.content.lines.map(() => h('b', {}));
    const entries = this.content.lines.map((line, at) =>
      h('span', { class: 'entry' }, swatch(line.color, line.dash), line.name, this.values[at] as HTMLElement));
    this.legend.replaceChildren(...(isEmpty ? [] : entries));
    if (isEmpty) return;
    this.plot = new uPlot(this.options(), data, this.plotPlace);
  }

  private options(): uPlot.Options {
    const { lines, logarithmic, top } = this.content;
    const grid = { stroke: color('grid'), width: 1 };
    const axis = { stroke: color('soft'), grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const range = (): [number, number] => {
      const [from, to] = this.store.shown;
      return [from / 1000, to / 1000];
    };
    const fromZero = (_: uPlot, __: number, max: number): [number, number] => [0, Math.max(top ?? 0, max * 1.06) || 1];
    const decades = (_: uPlot, min: number, max: number): [number, number] => [Math.max(min, 1e-3) / 1.3, Math.max(max, 2e-3) * 1.3];
    const bands = lines.flatMap((line, at) =>
      line.bandTo === undefined ? [] : [{ series: [at + 1, line.bandTo + 1] as [number, number], fill: faded(line.color, 0.14) }]);
    return {
      width: this.width(),
      height: HEIGHT,
      // The last time below the axis needs half of its width.
      padding: [8, 28, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: true, range },
        y: logarithmic ? { distr: 3, range: decades } : { range: fromZero },
      },
      axes: [
        { ...axis, size: 26, space: 84, values: (_, splits, __, ___, step) => splits.map((value) => axisClock(value * 1000, step * 1000)) },
        { ...axis, size: 62, space: 34, ...(this.kind.steps ? { incrs: this.kind.steps } : {}), values: (_, splits) => splits.map((value) => (value === null ? '' : this.kind.axis(value))) },
      ],
      bands,
      series: [{}, ...lines.map((line) => series(line))],
      cursor: {
        sync: { key: SYNC.key },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
        y: false,
        bind: { dblclick: () => () => (this.store.setRange(null), null) },
      },
      hooks: {
        setCursor: [(plot) => this.setCursor(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.select(plot)],
      },
      plugins: [marks(this.store)],
    };
  }

  private width(): number {
    return Math.max(200, this.plotPlace.clientWidth);
  }

  private resize(): void {
    if (this.plot && this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: HEIGHT });
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 6) return;
    const range: [number, number] = [plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.store.setRange(range);
  }

  private setCursor(at: number | null): void {
    this.cursor = at;
    this.showValues();
  }

  /** Values under the cursor; without one, those of the last point that has any. */
  private showValues(): void {
    const { xs, lines } = this.content;
    const at = this.cursor !== null && this.cursor < xs.length ? this.cursor : null;
    const time = at === null ? undefined : xs[at];
    const text = time === undefined ? '' : `${clock(time * 1000)} (${span(time - this.store.doc.start_ms / 1000)})${this.eventsAt(time * 1000)}`;
    setText(this.when, text);
    if (this.when.title !== text) this.when.title = text;
    lines.forEach((line, place) => {
      const value = at === null ? null : line.values[at];
      const element = this.values[place];
      if (element) setText(element, value === null || value === undefined ? '' : this.kind.value(value));
    });
  }

  private speak(): void {
    const values = this.content.lines.map((line, at) => [line.name, this.values[at]?.textContent ?? '']).filter(([, value]) => value);
    setText(this.spoken, [this.when.textContent, ...values.map((pair) => pair.join(' '))].join(', '));
  }

  /** What happened at the marks near a time, within eight pixels. */
  private eventsAt(ms: number): string {
    if (!this.plot) return '';
    const near_ms = 8000 * Math.abs(this.plot.posToVal(1, 'x') - this.plot.posToVal(0, 'x'));
    return this.store.doc.events.filter((event) => Math.abs(event.at_ms - ms) <= near_ms).map((event) => `; ${event.what}`).join('');
  }

  private key(event: KeyboardEvent): void {
    const { xs } = this.content;
    const plot = this.plot;
    if (!plot || xs.length === 0) return;
    const [from, to] = this.store.shown;
    const middle = this.cursor === null ? (from + to) / 2 : (xs[this.cursor] ?? 0) * 1000;
    const zoom = (factor: number) => this.store.setRange([middle - (middle - from) * factor, middle + (to - middle) * factor]);
    const move = (to: number) => {
      const at = Math.min(xs.length - 1, Math.max(0, to));
      plot.setCursor({ left: plot.valToPos(xs[at] ?? 0, 'x'), top: plot.over.clientHeight / 2 });
      this.speak();
    };
    const step = event.shiftKey ? 10 : 1;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move((this.cursor ?? xs.length) - step),
      ArrowRight: () => move((this.cursor ?? -1) + step),
      Home: () => move(0),
      End: () => move(xs.length - 1),
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      Escape: () => this.store.setRange(null),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  private toggleTable(): void {
    this.table.hidden = !this.table.hidden;
    this.tableButton.setAttribute('aria-expanded', String(!this.table.hidden));
    if (!this.table.hidden) this.fillTable();
  }

  private fillTable(): void {
    const { xs, lines } = this.content;
    const [from, to] = this.store.shown;
    const inside = xs.map((_, at) => at).filter((at) => (xs[at] as number) * 1000 >= from && (xs[at] as number) * 1000 <= to);
    const every = Math.max(1, Math.ceil(inside.length / TABLE_ROWS));
    const rows = inside.filter((_, at) => at % every === 0).map((at) =>
      h('tr', {}, h('th', { scope: 'row' }, clock((xs[at] as number) * 1000)), ...lines.map((line) => {
        const value = line.values[at];
        return h('td', {}, value === null || value === undefined ? '' : this.kind.value(value));
      })));
    const head = h('tr', {}, h('th', { scope: 'col' }, 'time'), ...lines.map((line) => h('th', { scope: 'col' }, line.name)));
    const title = every > 1 ? `${this.kind.title}, every ${every}th point` : this.kind.title;
    this.table.replaceChildren(h('table', {}, h('caption', {}, title), h('thead', {}, head), h('tbody', {}, ...rows)));
    this.table.tabIndex = 0;
  }
}

function series(line: Line): uPlot.Series {
  return {
    label: line.name,
    stroke: line.color,
    width: line.width ?? 1.6,
    spanGaps: line.overGaps ?? false,
    points: { show: line.values.length < 3, size: 5 },
    ...(line.dash ? { dash: [5, 4] } : {}),
    ...(line.area ? { fill: faded(line.color, 0.16) } : {}),
  };
}
