// The page of a run: a report, or the live view.

import { choice, QUANTILE_NAMES, timeCharts } from './charts';
import { PercentileCurve } from './curve';
import { Details } from './details';
import type { PageDocument } from './document';
import { h } from './dom';
import { clock, span } from './format';
import { HeatMap } from './heatmap';
import { LabelTable } from './labels';
import { Result } from './result';
import { header, section, setTitle, showPage } from './shell';
import { Store, type Change } from './store';
import { TargetCharts } from './target';
import { Trials } from './trials';

export interface Page {
  store: Store;
  /** Where the live view puts its state and controls. */
  liveBar: HTMLElement;
  control: HTMLElement;
}

/** Builds all views of a run. */
export function showRun(doc: PageDocument): Page {
  const store = new Store(doc);
  const [result, labels, charts, curve, heat, details] =
    [new Result(store), new LabelTable(store), timeCharts(store), new PercentileCurve(store), new HeatMap(store), new Details(store)];
  const target = new TargetCharts(store);
  const trials = new Trials(store);
  const liveBar = h('div', { class: 'live-bar' });
  const control = h('section', { class: 'control', hidden: true });
  const zoom = {
    text: () => {
      const [from, to] = store.snapped;
      return store.range ? `${clock(from)} to ${clock(to)}, ${span((to - from) / 1000)}` : '';
    },
    clear: () => store.setRange(null),
    watch: (changed: () => void) => store.watch(changed),
  };
  const top = header(doc.title, zoom, liveBar);
  showPage(doc.title, top, [
    trials.element, result.element, control,
    section('Labels', labels.element),
    h('section', {}, h('div', { class: 'section-head' }, h('h2', {}, 'Over time'), options(store)), h('div', { class: 'grid' }, ...charts.map((chart) => chart.element))),
    target.element,
    section('Distribution', h('div', { class: 'grid' }, curve.element, heat.element)),
    details.transactions, details.errors, details.slowest, details.events,
  ], footer(doc));
  // On the page of a study, each trial has its own title.
  store.watch(() => setTitle(top, store.doc.title));
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
    trials.update();
  };
  store.watch(update);
  update('data');
  return { store, liveBar, control };
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

function footer(doc: PageDocument): string {
  return `${doc.made_by}. Times run from just before the send to the arrival of the last byte. Figures of the whole run are within 0.1 % of the recorded times (whole milliseconds in a results file); `
    + 'those of a selected period, of compared labels over time and of the distribution are within 3 %.';
}
