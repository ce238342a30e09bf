// The page of a run: a report, or the live view.

import { Answer } from './answer';
import { choice, timeCharts } from './charts';
import { PercentileCurve } from './curve';
import { Details } from './details';
import { QUANTILE_NAMES, type PageDocument } from './document';
import { h } from './dom';
import { Failures } from './failures';
import { clock, span } from './format';
import { HeatMap } from './heatmap';
import { LabelView } from './label-view';
import { LabelTable } from './labels';
import { MeasurementSection } from './measurement';
import { Sections, type Entry } from './nav';
import { OwnTables } from './own-tables';
import { header, rangeBar, section, setTitle, showPage } from './shell';
import { Store, type Change } from './store';
import { TargetCharts } from './target';
import { Facts, ThresholdList } from './thresholds';
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
  const view = new LabelView(store);
  const [answer, thresholds, facts, failures, details, trials] =
    [new Answer(store), new ThresholdList(store), new Facts(store), new Failures(store), new Details(store), new Trials(store)];
  const [labels, charts, curve, heat, target, measurement] =
    [new LabelTable(store, (place) => view.open(place)), timeCharts(store), new PercentileCurve(store), new HeatMap(store), new TargetCharts(store), new MeasurementSection(store)];
  const own = new OwnTables(store);
  const liveBar = h('div', { class: 'live-bar' });
  const control = h('section', { class: 'control', id: 'control', hidden: true });
  const zoom = {
    text: () => {
      const [from, to] = store.snapped;
      return store.range ? `${clock(from)} to ${clock(to)}, ${span((to - from) / 1000)}` : '';
    },
    clear: () => store.setRange(null),
    watch: (changed: () => void) => store.watch(changed),
  };
  const known = h('div', { class: 'two' }, thresholds.element, facts.element);
  const overTime: Entry = {
    name: 'Over time',
    element: h('section', { id: 'over-time' }, h('div', { class: 'section-head' }, h('h2', {}, 'Over time'), options(store)), h('div', { class: 'grid' }, ...charts.map((chart) => chart.element))),
  };
  const result: Entry = { name: 'Result', element: answer.element };
  const distribution: Entry = { name: 'Distribution', element: section('Distribution', h('div', { class: 'grid' }, curve.element, heat.element)) };
  const failed: Entry = { name: 'Failures', element: failures.element };
  const table: Entry = { name: 'Labels', element: section('Labels', labels.element) };
  const rest: Entry[] = [
    distribution,
    { name: 'Target', element: target.element },
    { name: 'Figures', element: own.element },
    { name: 'Transactions', element: details.transactions },
    { name: 'Slowest', element: details.slowest },
    { name: 'Journal', element: details.events },
    { name: 'Measurement', element: measurement.element },
  ];
  const started: Entry = { name: 'Trials', element: trials.element };
  // Who watches a run looks at curves; who reads a report looks for what failed.
  const entries = doc.live
    ? [started, result, overTime, { name: 'Control', element: control }, failed, table, ...rest]
    : [result, failed, table, overTime, ...rest];
  answer.element.append(known);
  const sections = new Sections(entries, rangeBar(zoom));
  const top = header(doc.title, liveBar);
  showPage(doc.title, [top, sections.element], [...entries.map((entry) => entry.element), view.element], footer(doc));
  // On the page of a study, each trial has its own title.
  store.watch(() => setTitle(top, store.doc.title));
  const update = (change: Change) => {
    for (const part of [answer, thresholds, facts, failures, labels, ...charts, target, measurement, details, own, trials, view]) part.update();
    known.classList.toggle('one', thresholds.element.hidden);
    const isEmpty = !store.doc.live && store.doc.total.samples === 0;
    for (const { element } of [overTime, distribution]) element.hidden = isEmpty;
    if (change !== 'look') {
      curve.update();
      heat.update();
    }
    sections.update();
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
