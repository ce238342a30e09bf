// Heat map of response times over time: one column per time range, one row per range of response times, darker for more samples.

import type { CsvRow } from './csv';
import { distributionTable } from './curve';
import { Sight, h, setText } from './dom';
import { axisMs, clock, count } from './format';
import { bounds } from './histogram';
import { eachBucket, type Store } from './store';
import { FiguresTable } from './table';
import { color, onLook } from './theme';

const HEIGHT = 260;
const LEFT = 62;
const BOTTOM = 26;
/** Rows per octave. */
const ROWS = 4;
const STEPS = 8;
/** Candidate times for axis marks: 1, 2 and 5 of each decade, because decades alone would leave gaps. */
const MARKS_MS = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

interface Grid {
  columns: number;
  lowRow: number;
  highRow: number;
  counts: Map<number, number>;
  most: number;
}

/** The row of a bucket: quarter octaves of microseconds. */
const rowOf = (bucket: number) => Math.floor(Math.log2(Math.max(1, bounds(bucket)[0])) * ROWS);
const rowMs = (row: number) => 2 ** (row / ROWS) / 1000;

export class HeatMap {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { role: 'img' });
  private readonly when = h('span', { class: 'when' });
  /** What the cursor is at, aloud, where keys moved it. */
  private readonly spoken = h('span', { class: 'for-readers', role: 'status' });
  private readonly table: FiguresTable;
  private readonly title = h('h3', {}, 'Response times over time');
  private grid: Grid | null = null;
  private readonly sight: Sight;
  /** Column and row of the keyboard cursor. */
  private cursor: [number, number] | null = null;

  /** Of the label that is given; else of the one that is compared, or of all together. */
  constructor(private readonly store: Store, private readonly label?: () => number | null) {
    this.table = new FiguresTable('Distribution over time', () => this.distribution(), () => this.rows());
    const help = 'Response times over time. Use left and right to move in time, up and down to move through response times.';
    const place = h('div', { class: 'plot tall', tabindex: '0', role: 'group', 'aria-label': help }, this.canvas);
    this.element = h(
      'figure',
      { class: 'chart card' },
      h('div', { class: 'chart-head' }, this.title, this.when, this.table.buttons),
      h('div', { class: 'legend' }, h('span', { class: 'entry' }, 'few', h('i', { class: 'ramp', 'aria-hidden': 'true' }), 'many samples')),
      place,
      this.spoken,
      this.table.place,
      h('figcaption', { class: 'for-readers' }, 'Number of samples by time of the run and response time.'),
    );
    this.canvas.setAttribute('aria-label', 'Heat map of response times over time; use the button next to it to show the distribution as a table');
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => setText(this.when, ''));
    place.addEventListener('keydown', (event) => this.key(event));
    place.addEventListener('blur', () => this.moveTo(null));
    new ResizeObserver(() => this.draw()).observe(place);
    this.sight = new Sight(this.element, () => this.update());
    onLook(() => this.draw());
  }

  /** Shows the current data; a map outside the window waits until it is near. */
  update(): void {
    if (!this.sight.isNear && this.grid) return;
    const place = this.place();
    const name = place === null || this.label ? '' : ` of ${this.store.name(place)}`;
    setText(this.title, `Response times over time${name}`);
    this.grid = this.count(place);
    this.cursor = null;
    this.table.update();
    this.draw();
  }

  /** The label that is shown; none: all together. */
  private place(): number | null {
    if (this.label) return this.label();
    const [first] = this.store.compared;
    return this.store.compared.length === 1 && first !== undefined ? first : null;
  }

  private distribution(): HTMLElement {
    const all = this.store.histogram(this.place());
    return all ? distributionTable(all) : h('p', { class: 'soft' }, 'No samples');
  }

  /** Each cell of the map that has samples. */
  private rows(): CsvRow[] {
    const { grid } = this;
    const { width_ms } = this.store.doc.cells;
    const cells = [...(grid?.counts ?? [])].map(([key, times]) => ({ row: Math.floor(key / 100_000), column: key % 100_000, times }));
    cells.sort((a, b) => a.column - b.column || a.row - b.row);
    return [['from', 'least response time (ms)', 'largest response time (ms)', 'samples'], ...cells.map(({ row, column, times }) =>
      [new Date(this.store.snapped[0] + column * width_ms).toISOString(), rowMs(row), rowMs(row + 1), times])];
  }

  private count(place: number | null): Grid | null {
    const cells = this.store.cellsInRange(place);
    if (!cells || cells.length === 0) return null;
    const [from, to] = this.store.snapped;
    const { start_ms, width_ms } = this.store.doc.cells;
    const first = Math.round((from - start_ms) / width_ms);
    const grid: Grid = { columns: Math.max(1, Math.round((to - from) / width_ms)), lowRow: Infinity, highRow: -Infinity, counts: new Map(), most: 0 };
    for (const cell of cells) {
      const column = (cell[0] as number) - first;
      eachBucket(cell, (bucket, times) => {
        const row = rowOf(bucket);
        const key = row * 100_000 + column;
        const sum = (grid.counts.get(key) ?? 0) + times;
        grid.counts.set(key, sum);
        grid.most = Math.max(grid.most, sum);
        grid.lowRow = Math.min(grid.lowRow, row);
        grid.highRow = Math.max(grid.highRow, row);
      });
    }
    return grid.most > 0 ? grid : null;
  }

  private draw(): void {
    const ratio = devicePixelRatio;
    const width = Math.max(200, this.canvas.parentElement?.clientWidth ?? 200);
    Object.assign(this.canvas, { width: width * ratio, height: HEIGHT * ratio });
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${HEIGHT}px`;
    const ctx = this.canvas.getContext('2d');
    const grid = this.grid;
    if (!ctx || !grid) return;
    ctx.scale(ratio, ratio);
    const shades = Array.from({ length: STEPS }, (_, at) => color(`heat-${at + 1}`));
    const [cellWidth, cellHeight] = this.cellSize(grid);
    const logMost = Math.log1p(grid.most);
    for (const [key, times] of grid.counts) {
      const row = Math.floor(key / 100_000);
      const column = key - row * 100_000;
      const shade = Math.min(STEPS - 1, Math.floor((Math.log1p(times) / logMost) * STEPS));
      ctx.fillStyle = shades[shade] ?? '';
      const [x, y] = [LEFT + column * cellWidth, (grid.highRow - row) * cellHeight];
      ctx.fillRect(x, y + 4, Math.ceil(cellWidth + 0.3), Math.ceil(cellHeight + 0.3));
    }
    this.axes(ctx, grid, width, cellHeight);
    this.outlineCursor(ctx, grid);
  }

  private cellSize(grid: Grid): [number, number] {
    const width = this.canvas.clientWidth || 200;
    return [(width - LEFT - 10) / grid.columns, (HEIGHT - BOTTOM - 8) / (grid.highRow - grid.lowRow + 1)];
  }

  private axes(ctx: CanvasRenderingContext2D, grid: Grid, width: number, cellHeight: number): void {
    ctx.fillStyle = color('soft');
    ctx.font = '11px system-ui, sans-serif';
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    let above = Infinity;
    for (const ms of MARKS_MS) {
      const y = (grid.highRow + 1 - Math.log2(ms * 1000) * ROWS) * cellHeight + 4;
      if (y < 8 || y > HEIGHT - BOTTOM || above - y < 22) continue;
      above = y;
      ctx.fillText(axisMs(ms), LEFT - 8, y);
    }
    ctx.textBaseline = 'alphabetic';
    const [from, to] = this.store.snapped;
    const labels = Math.max(2, Math.floor(width / 130));
    for (let at = 0; at < labels; at += 1) {
      ctx.textAlign = at === 0 ? 'left' : at === labels - 1 ? 'right' : 'center';
      ctx.fillText(clock(from + ((to - from) * at) / (labels - 1)), LEFT + ((width - LEFT - 10) * at) / (labels - 1), HEIGHT - 6);
    }
  }

  private outlineCursor(ctx: CanvasRenderingContext2D, grid: Grid): void {
    if (!this.cursor) return;
    const [cellWidth, cellHeight] = this.cellSize(grid);
    const [column, row] = this.cursor;
    ctx.strokeStyle = color('accent');
    ctx.lineWidth = 2;
    ctx.strokeRect(LEFT + column * cellWidth - 1, (grid.highRow - row) * cellHeight + 3, Math.max(4, cellWidth + 2), cellHeight + 2);
  }

  private point(event: PointerEvent): void {
    const grid = this.grid;
    if (!grid) return;
    const [cellWidth, cellHeight] = this.cellSize(grid);
    const column = Math.floor((event.offsetX - LEFT) / cellWidth);
    const row = grid.highRow - Math.floor((event.offsetY - 4) / cellHeight);
    const outside = column < 0 || column >= grid.columns || row < grid.lowRow || row > grid.highRow;
    setText(this.when, outside ? '' : this.cell(grid, column, row));
  }

  private key(event: KeyboardEvent): void {
    const grid = this.grid;
    if (!grid) return;
    // The first key puts the cursor where the first column has most samples.
    const [column, row] = this.cursor ?? [0, this.busiestRow(grid, 0)];
    const step = this.cursor === null ? 0 : event.shiftKey ? 10 : 1;
    const to = {
      ArrowLeft: [column - step, row], ArrowRight: [column + step, row], ArrowUp: [column, row + step], ArrowDown: [column, row - step],
      Home: [0, row], End: [grid.columns - 1, row],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const [x, y] = to as [number, number];
    this.moveTo([Math.min(grid.columns - 1, Math.max(0, x)), Math.min(grid.highRow, Math.max(grid.lowRow, y))]);
  }

  private busiestRow(grid: Grid, column: number): number {
    let [most, at] = [0, grid.lowRow];
    for (let row = grid.lowRow; row <= grid.highRow; row += 1) {
      const times = grid.counts.get(row * 100_000 + column) ?? 0;
      if (times > most) [most, at] = [times, row];
    }
    return at;
  }

  private moveTo(cursor: [number, number] | null): void {
    if (!this.grid) return;
    this.cursor = cursor;
    const text = cursor ? this.cell(this.grid, ...cursor) : '';
    setText(this.when, text);
    setText(this.spoken, text);
    this.draw();
  }

  /** Text of a cell. */
  private cell(grid: Grid, column: number, row: number): string {
    const times = grid.counts.get(row * 100_000 + column) ?? 0;
    const at = this.store.snapped[0] + column * this.store.doc.cells.width_ms;
    return `${clock(at)}, ${axisMs(rowMs(row))} to ${axisMs(rowMs(row + 1))}: ${count(times)} samples`;
  }
}
