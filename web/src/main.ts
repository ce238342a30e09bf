// Puts the page together: a report from its own data, or the live view of a run.

import { choice, QUANTILE_NAMES, timeCharts } from './charts';
import { PercentileCurve } from './curve';
import { unpack } from './data';
import { Details } from './details';
import type { PageDocument } from './document';
import { h, setText } from './dom';
import { clock, span } from './format';
import { HeatMap } from './heatmap';
import { LabelTable } from './labels';
import { startLive } from './live';
import { Result } from './result';
import { Store, type Change } from './store';
import { TargetCharts } from './target';
import { setLook, type Look } from './theme';

export interface Page {
  store: Store;
  /** Where the live view puts its state and controls. */
  liveBar: HTMLElement;
  control: HTMLElement;
}

/** Builds all views of a document. */
export function show(doc: PageDocument): Page {
  const store = new Store(doc);
  document.title = `${doc.title} – Swell`;
  const [result, labels, charts, curve, heat, details] =
    [new Result(store), new LabelTable(store), timeCharts(store), new PercentileCurve(store), new HeatMap(store), new Details(store)];
  const target = new TargetCharts(store);
  const liveBar = h('div', { class: 'live-bar' });
  const control = h('section', { class: 'control', hidden: true });
  const root = document.getElementById('app') ?? document.body;
  const section = (title: string, ...children: Node[]) => h('section', {}, h('h2', {}, title), ...children);
  root.replaceChildren(
    header(store, liveBar),
    h('main', {},
      result.element, control,
      section('Labels', labels.element),
      h('section', {}, h('div', { class: 'section-head' }, h('h2', {}, 'Over time'), options(store)), h('div', { class: 'grid' }, ...charts.map((chart) => chart.element))),
      target.element,
      section('Distribution', h('div', { class: 'grid' }, curve.element, heat.element)),
      details.transactions, details.errors, details.slowest, details.events),
    footer(doc),
  );
  const update = (change: Change) => {
    result.update();
    labels.update();
    for (const chart of charts) chart.update();
    target.update();
    if (change !== 'look') {
      curve.update();
      heat.update();
    }
    details.update();
  };
  store.watch(update);
  update('data');
  return { store, liveBar, control };
}

function header(store: Store, liveBar: HTMLElement): HTMLElement {
  const range = h('span', { class: 'range' });
  const back = h('button', { type: 'button', hidden: true, onclick: () => store.setRange(null) }, 'Show all');
  const showRange = () => {
    const [from, to] = store.snapped;
    back.hidden = !store.range;
    setText(range, store.range ? `${clock(from)} to ${clock(to)}, ${span((to - from) / 1000)}` : '');
  };
  store.watch(showRange);
  const look = h('select', { 'aria-label': 'Colours', onchange: (event) => setLook((event.target as HTMLSelectElement).value as Look) },
    h('option', { value: 'auto' }, 'System colours'), h('option', { value: 'light' }, 'Light'), h('option', { value: 'dark' }, 'Dark'));
  return h('header', {}, h('h1', {}, store.doc.title), liveBar, h('div', { class: 'range-bar', role: 'status' }, range, back), look);
}

function options(store: Store): HTMLElement {
  const percentile = h('select', { onchange: (event) => {
    choice.percentile = Number((event.target as HTMLSelectElement).value);
    store.tell('look');
  } }, ...QUANTILE_NAMES.map((name, at) => h('option', { value: at, selected: at === choice.percentile }, name)));
  const logarithmic = h('input', { type: 'checkbox', onchange: (event) => {
    choice.logarithmic = (event.target as HTMLInputElement).checked;
    store.tell('look');
  } });
  const comparing = h('label', { class: 'check', hidden: true }, 'compare by', percentile);
  store.watch(() => {
    comparing.hidden = store.compared.length === 0;
  });
  return h('div', { class: 'tools' }, comparing, h('label', { class: 'check' }, logarithmic, 'logarithmic times'),
    h('span', { class: 'soft hint' }, 'Drag to zoom, double-click to show all'));
}

function footer(doc: PageDocument): HTMLElement {
  return h('footer', { class: 'soft' },
    `${doc.made_by}. Times run from just before the send to the arrival of the last byte. Figures of the whole run are exact to 0.1 %; `,
    'those of a stretch of time, of compared labels over time and of the distribution are exact to 3 %.');
}

async function start(): Promise<void> {
  const packed = document.getElementById('data');
  if (packed) show(await unpack(packed.textContent ?? ''));
  else await startLive(show);
}

start().catch((error: unknown) => {
  const root = document.getElementById('app') ?? document.body;
  root.replaceChildren(h('main', {}, h('div', { class: 'card verdict INVALID' }, h('h1', {}, 'This page cannot be shown'), h('p', {}, error instanceof Error ? error.message : String(error)))));
});
