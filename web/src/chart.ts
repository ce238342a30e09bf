// A chart of lines: uPlot with a legend that holds exact values, a cursor by keyboard, zoom that charts share, and its figures as
// a table. Its axis says what it is over: time, percentiles, or a load.

import uPlot from 'uplot';
import type { Axis, ChartContent, ChartKind, Line, Mark } from './chart-kind';
import type { CsvRow } from './csv';
import { Sight, h, setText, swatch } from './dom';
import { figures, FiguresTable } from './table';
import { color, faded, onLook } from './theme';

const HEIGHT = 190;
const TALL = 260;
const TABLE_ROWS = 60;
/** Text of marks in a chart, at most: more would cover the lines. */
const MOST_TEXTS = 4;

export class Chart {
  readonly element: HTMLElement;
  private readonly plotPlace: HTMLElement;
  private readonly legend = h('div', { class: 'legend' });
  private readonly when = h('span', { class: 'when' });
  /** Screen reader text of the cursor's position, after a key moved it. */
  private readonly spoken = h('span', { class: 'for-readers', role: 'status' });
  private readonly table: FiguresTable;
  private readonly height: number;
  private plot: uPlot | null = null;
  private shape = '';
  private content: ChartContent = { xs: [], lines: [], empty: '' };
  private values: HTMLElement[] = [];
  private cursor: number | null = null;
  private readonly sight: Sight;

  constructor(private readonly over: Axis, private readonly kind: ChartKind) {
    this.height = kind.tall ? TALL : HEIGHT;
    this.plotPlace = h('div', { class: kind.tall ? 'plot tall' : 'plot', tabindex: '0', role: 'group', 'aria-label': `${kind.title}. ${over.help}` });
    this.plotPlace.addEventListener('keydown', (event) => this.key(event));
    this.table = new FiguresTable(kind.title, kind.table ?? (() => this.points()), kind.csv ?? (() => this.rows()));
    this.element = h(
      'figure',
      { class: 'chart card' },
      h('div', { class: 'chart-head' }, h('h3', {}, kind.title), this.when, this.table.buttons),
      this.legend,
      this.plotPlace,
      this.spoken,
      this.table.place,
      h('figcaption', { class: 'for-readers' }, kind.caption),
    );
    new ResizeObserver(() => this.resize()).observe(this.plotPlace);
    this.sight = new Sight(this.element, () => this.update());
    onLook(() => {
      this.shape = '';
      this.update();
    });
    addEventListener('beforeprint', () => this.resize());
  }

  /** Draws the current data; charts outside the window wait until they are near. */
  update(always = false): void {
    if (!this.sight.isNear && this.plot && !always) return;
    this.content = this.kind.content();
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
    this.table.update();
  }

  private build(data: uPlot.AlignedData, isEmpty: boolean): void {
    this.plot?.destroy();
    this.plot = null;
    this.values = this.content.lines.map(() => h('b', {}));
    const entries = this.content.lines.map((line, at) =>
      h('span', { class: 'entry' }, swatch(line.color, line.dots ? 'dots' : line.dash ? 'dash' : ''), line.name, this.values[at] as HTMLElement));
    this.legend.replaceChildren(...(isEmpty ? [] : entries));
    if (isEmpty) return;
    this.plot = new uPlot(this.options(), data, this.plotPlace);
  }

  private options(): uPlot.Options {
    const { over } = this;
    const { lines, logarithmic, top } = this.content;
    const grid = { stroke: color('grid'), width: 1 };
    const axis = { stroke: color('soft'), grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    // Texts of marks are above the lines.
    const room = (this.content.marks ?? []).length > 0 ? 1.3 : 1.06;
    const limits = (this.content.limits ?? []).map(([limit]) => limit);
    const fromZero = (_: uPlot, __: number, max: number): [number, number] => [0, Math.max(top ?? 0, Math.max(max, ...limits) * room) || 1];
    const decades = (_: uPlot, min: number, max: number): [number, number] =>
      [oneDigit(Math.max(Math.min(min, ...limits), 1e-3) / 1.05), Math.max(max, 2e-3, ...limits) * (room > 1.1 ? 3 : 1.3)];
    const bands = lines.flatMap((line, at) =>
      line.bandTo === undefined ? [] : [{ series: [at + 1, line.bandTo + 1] as [number, number], fill: faded(line.color, 0.14) }]);
    return {
      width: this.width(),
      height: this.height,
      // The last text below the axis needs half of its width.
      padding: [8, 28, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: over.isTime, range: () => over.range(), ...(over.isLogarithmic ? { distr: 3 } : {}) },
        y: logarithmic ? { distr: 3, range: decades } : { range: fromZero },
      },
      axes: [
        { ...axis, size: 26, ...over.ticks(this.width()) },
        { ...axis, size: 62, space: 34, ...(this.kind.steps ? { incrs: this.kind.steps } : {}), values: (_, splits) => splits.map((value) => (value === null ? '' : this.kind.axis(value))) },
      ],
      bands,
      series: [{}, ...lines.map((line) => series(line))],
      cursor: {
        ...(over.key ? { sync: { key: over.key } } : {}),
        drag: { x: over.zoom !== undefined, y: false, setScale: false },
        points: { size: 6 },
        y: false,
        dataIdx: (_, __, at) => this.stop(at),
        bind: { dblclick: () => () => (over.zoom?.(null), null) },
      },
      hooks: {
        setCursor: [(plot) => this.setCursor(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.select(plot)],
      },
      plugins: [{ hooks: { draw: (plot) => this.drawTexts(plot) } }],
    };
  }

  private width(): number {
    return Math.max(200, this.plotPlace.clientWidth);
  }

  private resize(): void {
    if (this.plot && this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: this.height });
  }

  private marks(): Mark[] {
    return [...this.over.marks(), ...(this.content.marks ?? [])];
  }

  /** Marks and limits with their texts. */
  private drawTexts(plot: uPlot): void {
    const { ctx } = plot;
    ctx.save();
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    this.drawLimits(plot);
    this.drawMarks(plot);
    ctx.restore();
  }

  private drawLimits(plot: uPlot): void {
    const { ctx, bbox } = plot;
    for (const [limit, text] of this.content.limits ?? []) {
      const y = plot.valToPos(limit, 'y', true);
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.strokeStyle = color('bad');
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.fillStyle = color('bad');
      ctx.fillText(text, bbox.left + 6 * devicePixelRatio, y - 4 * devicePixelRatio);
    }
  }

  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    let texts = 0;
    for (const mark of this.marks()) {
      const x = plot.valToPos(mark.x, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = mark.color ?? color('mark');
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const width = ctx.measureText(mark.text).width;
      if (!mark.color || texts >= MOST_TEXTS || width > bbox.width) continue;
      const isRight = x + width + 8 * ratio <= bbox.left + bbox.width;
      const left = isRight ? x + 5 * ratio : Math.max(bbox.left, x - width - 5 * ratio);
      const top = bbox.top + (2 + 14 * texts) * ratio;
      ctx.fillStyle = faded(color('card'), 0.85);
      ctx.fillRect(left - 2 * ratio, top, width + 4 * ratio, 13 * ratio);
      ctx.fillStyle = color('ink');
      ctx.fillText(mark.text, left, top + 10 * ratio);
      texts += 1;
    }
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 6) return;
    const range: [number, number] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.over.zoom?.(range);
  }

  /** The point at which the cursor stops: the nearest one that was measured, where others are computed. */
  private stop(at: number): number {
    const { lines, xs } = this.content;
    if (!lines.some((line) => line.computed)) return at;
    const measured = lines.filter((line) => !line.computed);
    const distance = (other: number) => Math.abs((xs[other] as number) - (xs[at] as number));
    return xs.reduce((best, _, other) =>
      (measured.some((line) => line.values[other] !== null) && (best < 0 || distance(other) < distance(best)) ? other : best), -1);
  }

  private setCursor(at: number | null): void {
    this.cursor = at === null ? null : this.stop(at);
    this.showValues();
  }

  /** Values under the cursor; without one, none. */
  private showValues(): void {
    const { xs, lines } = this.content;
    const at = this.cursor !== null && this.cursor < xs.length ? this.cursor : null;
    const x = at === null ? undefined : xs[at];
    const text = x === undefined ? '' : `${this.over.at(x)}${this.marksAt(x)}`;
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

  /** What is marked near a place, within eight pixels. */
  private marksAt(x: number): string {
    if (!this.plot) return '';
    const place = (value: number) => this.plot?.valToPos(value, 'x') ?? 0;
    return this.marks().filter((mark) => Math.abs(place(mark.x) - place(x)) <= 8).map((mark) => `; ${mark.text}`).join('');
  }

  private key(event: KeyboardEvent): void {
    const { xs } = this.content;
    const plot = this.plot;
    if (!plot || xs.length === 0) return;
    const [from, to] = this.over.range();
    const middle = this.cursor === null ? (from + to) / 2 : (xs[this.cursor] ?? 0);
    const zoom = (factor: number) => this.over.zoom?.([middle - (middle - from) * factor, middle + (to - middle) * factor]);
    const move = (to: number) => {
      const at = Math.min(xs.length - 1, Math.max(0, to));
      plot.setCursor({ left: plot.valToPos(xs[at] ?? 0, 'x'), top: plot.over.clientHeight / 2 });
      this.speak();
    };
    const step = event.shiftKey ? 10 : 1;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(this.next(this.cursor ?? xs.length, -step)),
      ArrowRight: () => move(this.next(this.cursor ?? -1, step)),
      Home: () => move(0),
      End: () => move(xs.length - 1),
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      Escape: () => this.over.zoom?.(null),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  /** The point after that number of steps at which the cursor stops. */
  private next(from: number, steps: number): number {
    const { xs } = this.content;
    let at = from + steps;
    while (at > 0 && at < xs.length - 1 && this.stop(at) !== at) at += Math.sign(steps);
    return at;
  }

  /** Places of the points that are shown and measured. */
  private inside(): number[] {
    const { xs } = this.content;
    const [from, to] = this.over.range();
    return xs.map((_, at) => at).filter((at) => (xs[at] as number) >= from && (xs[at] as number) <= to && this.stop(at) === at);
  }

  /** All points that are shown, as they are. */
  private rows(): CsvRow[] {
    this.content = this.kind.content();
    const { xs, lines } = this.content;
    const heads = lines.map((line) => (this.kind.unit ? `${line.name} (${this.kind.unit})` : line.name));
    return [[this.over.name, ...heads], ...this.inside().map((at) => [this.over.exact(xs[at] as number), ...lines.map((line) => line.values[at])])];
  }

  /** The points that are shown as a table. */
  private points(): HTMLElement {
    const { xs, lines } = this.content;
    const inside = this.inside();
    const every = Math.max(1, Math.ceil(inside.length / TABLE_ROWS));
    const value = (line: Line, at: number) => {
      const known = line.values[at];
      return known === null || known === undefined ? '' : this.kind.value(known);
    };
    const rows = inside.filter((_, at) => at % every === 0).map((at) =>
      [this.over.row(xs[at] as number), ...lines.map((line) => value(line, at))]);
    const title = every > 1 ? `${this.kind.title}, every ${every}th point` : this.kind.title;
    return figures(title, [this.over.name, ...lines.map((line) => line.name)], rows);
  }
}

/** The next number below that has one digit: uPlot counts the marks of a logarithmic axis from its end. */
function oneDigit(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.floor(value / power) * power;
}

function series(line: Line): uPlot.Series {
  return {
    label: line.name,
    stroke: line.color,
    width: line.width ?? 1.6,
    spanGaps: line.overGaps ?? false,
    points: { show: (line.points ?? line.values.length < 3) && !line.computed, size: line.points ? 7 : 5, fill: line.color },
    ...(line.dots ? { dash: [2, 4] } : line.dash ? { dash: [5, 4] } : {}),
    ...(line.area ? { fill: faded(line.color, 0.16) } : {}),
  };
}
