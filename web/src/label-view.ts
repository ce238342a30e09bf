// The view of one label: its figures, response codes, stages, times, distribution and failures.

import { codeBars, codeTone } from './codes';
import { cellTimes, cellValues, choice, quantileOf, rateOf, timeChart, type CellFigure, type TimeKind } from './charts';
import type { Chart } from './chart';
import { PercentileCurve } from './curve';
import type { Row } from './document';
import { h, setText, swatch } from './dom';
import { causeRow } from './failures';
import { count, DASH, duration, figure, percent } from './format';
import { HeatMap } from './heatmap';
import { allFailed, COLUMNS, TIMES } from './labels';
import { stageParts } from './stages';
import type { Store } from './store';
import { scrolled, table } from './table';
import { color } from './theme';
import { UNITS } from './units';

/** Columns of the table of labels that are tiles here. */
const TILES = ['samples', 'failed', 'per s', 'mean', 'p50', 'p95', 'p99', 'max'];

const WHOLE_RUN_ONLY = 'This label only has figures for the whole run';

/** A place without cells. */
const NO_PLACE = -1;

export class LabelView {
  readonly element: HTMLDialogElement;
  private readonly title = h('h2', { tabindex: '-1' });
  private readonly tiles = h('dl', { class: 'tiles' });
  private readonly parts = h('div', { class: 'grid' });
  private readonly causes = h('div', {});
  private readonly whole = h('p', { class: 'soft' }, 'Response codes, stages and failures are those of the whole run.');
  private readonly charts: Chart[];
  private readonly curve: PercentileCurve;
  private readonly heat: HeatMap;
  private place: number | null = null;

  constructor(private readonly store: Store) {
    const label = () => this.place;
    const kinds = [times(this.lines(['p99', 'p99', 0.99], ['p95', 'p95', 0.95], ['p50', 'p50', 0.5])), rates(() => this.rates())];
    this.charts = kinds.map((kind) => timeChart(store, kind));
    this.curve = new PercentileCurve(store, label);
    this.heat = new HeatMap(store, label);
    const close = h('button', { type: 'button', onclick: () => this.element.close() }, 'Close');
    this.element = h('dialog', { class: 'label-view', 'aria-label': 'One label' },
      h('div', { class: 'label-head' }, this.title, close),
      this.tiles, this.whole, this.parts,
      h('div', { class: 'grid' }, ...this.charts.map((chart) => chart.element), this.curve.element, this.heat.element),
      this.causes);
    // A click beside it closes it.
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
    this.element.addEventListener('close', () => (this.place = null));
  }

  open(place: number): void {
    this.place = place;
    this.element.showModal();
    this.title.focus();
    this.element.scrollTop = 0;
    this.update();
  }

  update(): void {
    if (this.place === null || !this.element.open) return;
    const row = this.store.rows().rows[this.place];
    // The next trial of a study may have other labels.
    if (!row) return this.element.close();
    setText(this.title, row.label || '(no label)');
    this.showTiles(row);
    this.showParts(row);
    this.showCauses(row);
    this.whole.hidden = this.store.range === null;
    for (const chart of this.charts) chart.update();
    this.curve.update();
    this.heat.update();
  }

  private showTiles(row: Row): void {
    const shown = TILES.map((name) => COLUMNS.find((column) => column.name === name)).filter((column) => column !== undefined);
    this.tiles.replaceChildren(...shown.map((column) => {
      const isBad = column.name === 'failed' && row.errors > 0;
      const unit = ['mean', 'p50', 'p95', 'p99', 'max'].includes(column.name) && column.text(row) !== DASH ? ' ms' : '';
      const isMuted = allFailed(row) && TIMES.includes(column.name);
      const more = isMuted ? 'all failed' : column.hint?.(row) || column.interval?.(row) || '';
      return h('div', { class: `card tile ${isBad ? 'bad' : ''} ${isMuted ? 'muted' : ''}` }, h('dt', {}, column.name), h('dd', {}, h('b', {}, column.text(row) + unit), h('small', { class: 'soft' }, more)));
    }));
  }

  private showParts(row: Row): void {
    const kinds = row.failures.length > 0 ? [h('h3', {}, 'Failed samples by kind'), codeBars(row.failures, () => 'bad')] : [];
    const codes = row.codes.length > 0 ? card('Response codes', codeBars(row.codes, codeTone), ...kinds) : null;
    const stages = row.stages.some((stage) => stage !== null) ? card('Stages of a sample', stageBar(row), scrolled('Stages of a sample', stageTable(row))) : null;
    this.parts.replaceChildren(...[codes, stages].filter((part) => part !== null));
    this.parts.hidden = this.parts.childElementCount === 0;
  }

  private showCauses(row: Row): void {
    const { errors, total } = this.store.doc;
    const mine = row.errors > 0 ? errors.filter((error) => error.label !== '' && row.label.startsWith(error.label)) : [];
    if (mine.length === 0) return this.causes.replaceChildren();
    const shown = table('Causes', ['what failed', 'kind', 'samples of all labels', 'share', 'first example'], mine.map((error) => causeRow(this.store, error, total.samples)), [0, 1, 4]);
    shown.classList.add('causes');
    this.causes.replaceChildren(h('h3', {}, 'Causes whose first example has this label'), scrolled('Causes', shown));
  }

  private values(value: CellFigure): (number | null)[] {
    return cellValues(this.store, this.place ?? NO_PLACE, value);
  }

  private lines(...of: [string, string, number][]): TimeKind['content'] {
    return () => ({
      xs: cellTimes(this.store),
      lines: of.map(([name, shade, quantile]) => ({ name, color: color(shade), values: this.values((cell) => quantileOf(cell, quantile)) })),
      empty: WHOLE_RUN_ONLY,
      logarithmic: choice.logarithmic,
    });
  }

  private rates(): ReturnType<TimeKind['content']> {
    return {
      xs: cellTimes(this.store),
      lines: [
        { name: 'samples', color: color('rate'), values: this.values(rateOf(1)), area: true },
        { name: 'failed', color: color('bad'), values: this.values(rateOf(2)) },
      ],
      empty: WHOLE_RUN_ONLY,
    };
  }
}

const times = (content: TimeKind['content']): TimeKind =>
  ({ title: 'Response times of this label', caption: 'Percentiles of the response times of this label over time.', ...UNITS.ms, content });

const rates = (content: TimeKind['content']): TimeKind =>
  ({ title: 'Samples of this label a second', caption: 'Samples and failed samples of this label a second.', ...UNITS.per_s, content });

function card(title: string, ...children: Node[]): HTMLElement {
  return h('figure', { class: 'chart card' }, h('div', { class: 'chart-head' }, h('h3', {}, title)), ...children);
}

function stageBar(row: Row): HTMLElement {
  const parts = stageParts(row);
  const sum = parts.reduce((all, part) => all + part.ms, 0);
  const bar = h('div', { class: 'stage-bar', 'aria-hidden': 'true' });
  const legend = h('div', { class: 'legend' });
  for (const { name, ms, shade } of parts) {
    const piece = h('span', {});
    piece.style.setProperty('flex-grow', String(ms / sum));
    piece.style.setProperty('background', `var(--${shade})`);
    bar.append(piece);
    legend.append(h('span', { class: 'entry' }, swatch(`var(--${shade})`), name, h('b', {}, `${duration(ms)}, ${percent(ms, sum)}`)));
  }
  return h('div', {}, h('p', { class: 'soft' }, 'Mean of all samples:'), bar, legend);
}

function stageTable(row: Row): HTMLElement {
  const names = ['connection, with TLS', 'TLS handshake', 'first byte'];
  const rows = row.stages.flatMap((stage, at) => (stage ? [[names[at] ?? '', count(stage[0]), ...stage.slice(1).map((ms) => figure(ms))]] : []));
  rows.push(['last byte', count(row.samples), figure(row.mean_ms), ...[0, 2, 3].map((at) => figure(row.percentiles_ms[at])), figure(row.max_ms)]);
  return table('Times from the start of a sample in milliseconds', ['until', 'samples', 'mean', 'p50', 'p95', 'p99', 'max'], rows, [0]);
}
