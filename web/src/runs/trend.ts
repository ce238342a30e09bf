// The trend of a label over the runs of a plan: changes first, then charts over the runs.

import { Chart } from '../chart';
import type { ChartContent, Mark } from '../chart-kind';
import { h } from '../dom';
import { axisNumber, duration, figure, minute } from '../format';
import { header, rangeBar, section, showPage } from '../shell';
import { scrolled, table } from '../table';
import { color } from '../theme';
import { UNITS } from '../units';
import { zoomOf } from '../zoom-axis';
import { bar } from './bar';
import { api, type FigureName, type LabelName, type LevelChange, type Trend } from './data';
import { comparisonOf, reportOf, short, subjectName, trendOf } from './places';
import { RunsAxis } from './runs-axis';
import { changeText, FIGURE_NAMES, headline, isWorse, latestChanges, sizeText, valueText } from './trend-text';

const COUNTS = [50, 200, 1000];

export async function showTrend(query: URLSearchParams): Promise<void> {
  const subject = query.get('subject') ?? '';
  const label = query.has('label') ? Number(query.get('label')) : null;
  const count = COUNTS.find((one) => String(one) === query.get('count')) ?? 200;
  const [labels, trend] = await Promise.all([api.labels(subject), api.trend(subject, label, count)]);
  const name = subjectName(subject);
  const cursor = h('p', { class: 'at-cursor soft' }, 'Point at a run in a chart to open or compare it.');
  const axis = new RunsAxis(trend, (place) => showCursor(cursor, trend, place));
  const charts = trend.runs.length > 0 ? chartsOf(trend, axis) : [];
  showPage(`Trend of ${name}`, [bar(), header(`Trend of ${short(name)}`)], [
    answer(trend),
    h('section', {}, tools(trend, labels, count), cursor, rangeBar(zoomOf([axis])), h('div', { class: 'grid trend' }, ...charts.map((chart) => chart.element))),
    ...(trend.changes.length > 0 ? [changes(trend)] : []),
  ], `A lasting change has at least five runs on both sides, and is larger than any that appears if the runs are shuffled. ${subject}`);
  for (const chart of charts) chart.update();
}

function answer(trend: Trend): HTMLElement {
  const latest = latestChanges(trend);
  const tone = latest.length === 0 ? '' : latest.some(isWorse) ? 'bad' : 'good';
  const others = trend.changes.length - 1;
  const lines = others > 0 ? [`${others} more ${others === 1 ? 'change is' : 'changes are'} listed below.`] : [];
  const newest = trend.runs.at(-1);
  if (newest) lines.push(`Last run: ${short(newest.name, 60)}, ${minute(newest.start_ms)}, p95 ${duration(newest.p95_ms)}, ${figure(newest.per_s)}/s, ${figure(newest.error_percent)} % failed.`);
  return h('section', { class: 'result', 'aria-label': 'Result' },
    h('div', { class: `card answer ${tone}` }, h('h2', { class: 'headline' }, headline(trend)), h('ul', { class: 'reasons' }, ...lines.map((line) => h('li', {}, line)))));
}

function tools(trend: Trend, labels: LabelName[], count: number): HTMLElement {
  const { subject } = trend;
  const chosen = trend.label?.id ?? null;
  const open = (label: number | null, runs: number) => {
    location.href = trendOf(subject, label, runs);
  };
  const label = h('select', { onchange: (event) => {
    const { value } = event.target as HTMLSelectElement;
    open(value === '' ? null : Number(value), count);
  } }, h('option', { value: '' }, 'all samples'),
    ...labels.map((one) => h('option', { value: one.id, selected: one.id === chosen, title: short(one.label, 1000) }, `${short(one.label, 80)}${one.is_transaction ? ' (transaction)' : ''}`)));
  const runs = h('select', { onchange: (event) => open(chosen, Number((event.target as HTMLSelectElement).value)) },
    ...COUNTS.map((one) => h('option', { value: one, selected: one === count }, `last ${one} runs`)));
  return h('div', { class: 'tools of-trend' }, h('label', { class: 'check' }, 'Label', label), h('label', { class: 'check' }, 'Runs', runs),
    h('span', { class: 'soft hint' }, 'Drag to zoom, double-click to show all'));
}

function chartsOf(trend: Trend, axis: RunsAxis): Chart[] {
  const xs = trend.runs.map((_, at) => at);
  const line = (name: FigureName, paint: string) =>
    ({ name: FIGURE_NAMES[name], color: color(paint), values: trend.runs.map((run) => run[name]), overGaps: true, points: xs.length <= 60 });
  const of = (lines: [FigureName, string][], limited: FigureName[]): (() => ChartContent) => () => ({
    xs,
    lines: lines.map(([name, paint]) => line(name, paint)),
    marks: marks(trend, limited),
    limits: trend.limits.filter((limit) => limited.includes(limit.figure)).map((limit): [number, string] => [limit.value, short(limit.rule, 60)]),
    empty: 'No figures',
  });
  const times: FigureName[] = ['p50_ms', 'p95_ms', 'p99_ms'];
  return [
    new Chart(axis, { title: 'Response time', caption: 'Percentiles of the response time by run.', ...UNITS.ms, tall: true, content: of([['p50_ms', 'p50'], ['p95_ms', 'p95'], ['p99_ms', 'p99']], times) }),
    new Chart(axis, { title: 'Throughput', caption: 'Samples a second by run.', ...UNITS.per_s, content: of([['per_s', 'rate']], ['per_s']) }),
    new Chart(axis, { title: 'Failed samples', caption: 'Share of failed samples by run.', unit: '%', value: (value) => valueText('error_percent', value), axis: (value) => `${axisNumber(value)} %`, content: of([['error_percent', 'bad']], ['error_percent']) }),
  ].map((chart) => axis.add(chart));
}

/** The baseline, and changes of these figures; those of one run share a line. */
function marks(trend: Trend, names: FigureName[]): Mark[] {
  const baseline = trend.runs.findIndex((run) => run.name === trend.baseline);
  // Its text is in the first chart only, which has room for it.
  const first: Mark[] = baseline < 0 ? [] : [{ x: baseline, text: 'baseline', ...(names.includes('p95_ms') ? { color: color('good') } : {}) }];
  const byPlace = new Map<number, LevelChange[]>();
  for (const change of trend.changes.filter((one) => names.includes(one.figure))) {
    byPlace.set(change.at, [...(byPlace.get(change.at) ?? []), change]);
  }
  return [...first, ...[...byPlace].map(([at, all]) => ({
    x: at - 0.5,
    text: all.map((change) => (names.length > 1 ? `${FIGURE_NAMES[change.figure]} ${sizeText(change)}` : sizeText(change))).join(', '),
    color: color(all.some(isWorse) ? 'bad' : 'good'),
  }))];
}

function changes(trend: Trend): HTMLElement {
  const rows = [...trend.changes].sort((a, b) => b.at - a.at || a.figure.localeCompare(b.figure)).map((change) => {
    const run = trend.runs[change.at];
    const name = run ? h('a', { href: reportOf(run.name), title: changeText(change, trend) }, short(run.name, 60)) : '';
    return [name, run ? minute(run.start_ms) : '', short(run?.version ?? '', 40), FIGURE_NAMES[change.figure], valueText(change.figure, change.before), valueText(change.figure, change.after),
      h('span', { class: `cell ${isWorse(change) ? 'bad' : 'good'}` }, sizeText(change))];
  });
  const found = table('Lasting changes', ['from run', 'started', 'version', 'figure', 'before', 'after', 'change'], rows, [0, 1, 2, 3]);
  found.classList.add('study');
  return section('Lasting changes', scrolled('Lasting changes', found));
}

/** Links to the run that the cursor of a chart is at. */
function showCursor(place: HTMLElement, trend: Trend, at: number): void {
  const run = trend.runs[at];
  if (!run || place.dataset['run'] === run.name) return;
  place.dataset['run'] = run.name;
  const before = trend.runs[at - 1];
  const links = [h('a', { href: reportOf(run.name) }, short(run.name, 60))];
  if (before) links.push(h('a', { href: comparisonOf(before.name, run.name) }, 'compare with the run before'));
  if (trend.baseline && trend.baseline !== run.name) links.push(h('a', { href: comparisonOf(trend.baseline, run.name) }, 'compare with the baseline'));
  place.replaceChildren('Run at the cursor: ', ...links.flatMap((link, number) => (number > 0 ? [' · ', link] : [link])));
}
