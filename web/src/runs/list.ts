// The list of kept runs: searched, sorted, edited, and where two are chosen to be compared.

import { h, setText } from '../dom';
import { count, DASH, figure, minute, percent } from '../format';
import { header, showPage } from '../shell';
import { scrolled } from '../table';
import { api, type Run, type RunList } from './data';
import { edit } from './edit';
import { chosen, ofQuery, subjects, toQuery, type Choice, type Column } from './filter';
import { comparisonOf, reportOf, short, subjectName, trendOf } from './places';
import { importer } from './upload';

/** Rows that are shown before more are asked for. */
const PAGE = 100;
/** Plans that can be chosen. */
const MOST_SUBJECTS = 200;

/** The column of the first time. */
const FIRST_TIME = 4;

const COLUMNS: { column: Column; name: string; title: string; wide?: boolean }[] = [
  { column: 'start_ms', name: 'started', title: 'When the run began, in the time of this browser', wide: true },
  { column: 'samples', name: 'samples', title: 'Number of samples', wide: true },
  { column: 'per_s', name: 'per s', title: 'Samples a second', wide: true },
  { column: 'failed', name: 'failed', title: 'Share of samples that failed' },
  { column: 'p50_ms', name: 'p50', title: 'Median response time in milliseconds', wide: true },
  { column: 'p95_ms', name: 'p95', title: '95th percentile of the response times in milliseconds' },
  { column: 'p99_ms', name: 'p99', title: '99th percentile of the response times in milliseconds', wide: true },
];

export async function showList(): Promise<void> {
  const list = await api.runs();
  new ListPage(list).show();
}

class ListPage {
  private choice: Choice = ofQuery(location.search);
  private shown = PAGE;
  /** The run that waits for a second one. */
  private first: Run | null = null;
  private readonly body = h('tbody');
  private readonly found = h('span', { class: 'soft', role: 'status' });
  private readonly more = h('button', { type: 'button', class: 'more', hidden: true });
  private readonly picked = h('p', { class: 'note picked', role: 'status', hidden: true });
  private readonly trend = h('a', { class: 'button', hidden: true }, 'Trend of this plan');
  private readonly heads = new Map<Column, HTMLTableCellElement>();

  constructor(private readonly list: RunList) {
    this.more.addEventListener('click', () => {
      this.shown += PAGE;
      this.update();
    });
  }

  show(): void {
    const { list } = this;
    const head = h('tr', {}, this.head('name', 'run', 'Name of the run'),
      ...COLUMNS.map(({ column, name, title, wide }) => this.head(column, name, title, wide)),
      h('th', { scope: 'col', class: 'text result' }, 'result'), h('th', { scope: 'col' }, h('span', { class: 'for-readers' }, 'actions')));
    const table = h('table', { class: 'runs sortable' }, h('caption', { class: 'for-readers' }, 'Kept runs, times in milliseconds'), h('thead', {}, head), this.body);
    const content = list.runs.length === 0
      ? [this.empty()]
      : [this.tools(), this.picked, scrolled('Table of runs', table), this.more];
    const cut = list.is_cut ? [h('p', { class: 'note' }, `Only the latest ${count(list.runs.length)} runs are listed.`)] : [];
    showPage('Kept runs', [header('Kept runs', ...(list.may_change ? [importer()] : []))],
      [h('section', { class: 'list' }, ...cut, ...content)], `Runs in ${list.folder}.`);
    this.update();
  }

  private empty(): HTMLElement {
    return h('div', { class: 'card empty-list' }, h('h2', {}, 'No run is kept yet'),
      h('p', {}, 'Each ', h('code', {}, 'swell run'), ' is kept here; ', h('code', {}, 'swell hit --name NAME'), ' keeps a quick test. Reload this page after a run.'),
      h('p', {}, h('code', {}, 'swell history import results.jtl'), ' adds results of JMeter and other tools.'));
  }

  private head(column: Column, name: string, title: string, wide = false): HTMLTableCellElement {
    const button = h('button', { type: 'button', title, onclick: () => this.sortBy(column) }, name);
    const head = h('th', { scope: 'col', class: wide ? 'wide' : '' }, button);
    this.heads.set(column, head);
    return head;
  }

  private sortBy(column: Column): void {
    const isDown = this.choice.column === column ? !this.choice.isDown : column !== 'name';
    this.change({ column, isDown });
  }

  private change(part: Partial<Choice>): void {
    this.choice = { ...this.choice, ...part };
    this.shown = PAGE;
    const query = toQuery(this.choice);
    history.replaceState(null, '', query ? `/?${query}` : '/');
    this.update();
  }

  private tools(): HTMLElement {
    const search = h('input', { type: 'search', placeholder: 'Search names, plans, notes, tags', 'aria-label': 'Search runs', autocomplete: 'off', spellcheck: 'false', value: this.choice.text });
    search.addEventListener('input', () => this.change({ text: search.value }));
    const plans = subjects(this.list.runs).slice(0, MOST_SUBJECTS);
    const plan = h('select', { 'aria-label': 'Plan', onchange: (event) => this.change({ subject: (event.target as HTMLSelectElement).value }) },
      h('option', { value: '' }, 'All plans'),
      ...plans.map(([subject, runs]) => h('option', { value: subject, selected: subject === this.choice.subject, title: subject }, `${short(subjectName(subject), 50)} (${count(runs)})`)));
    const failed = h('input', { type: 'checkbox', checked: this.choice.failedOnly, onchange: (event) => this.change({ failedOnly: (event.target as HTMLInputElement).checked }) });
    return h('div', { class: 'tools' }, search, plan, h('label', { class: 'check' }, failed, 'failed only'), this.trend, this.found);
  }

  private update(): void {
    if (this.list.runs.length === 0) return;
    const runs = chosen(this.list.runs, this.choice);
    this.body.replaceChildren(...runs.slice(0, this.shown).map((run) => this.row(run)));
    setText(this.found, runs.length === this.list.runs.length ? `${count(runs.length)} runs` : `${count(runs.length)} of ${count(this.list.runs.length)} runs`);
    const left = runs.length - this.shown;
    this.more.hidden = left <= 0;
    setText(this.more, `Show ${count(Math.min(left, PAGE))} more`);
    for (const [column, head] of this.heads) {
      head.setAttribute('aria-sort', column !== this.choice.column ? 'none' : this.choice.isDown ? 'descending' : 'ascending');
    }
    const { subject } = this.choice;
    this.trend.hidden = subject === '';
    this.trend.href = trendOf(subject);
    this.showPicked();
  }

  private showPicked(): void {
    const { first } = this;
    this.picked.hidden = first === null;
    if (!first) return;
    this.picked.replaceChildren('Choose the run to compare with ', h('b', {}, short(first.name)), '. ',
      h('button', { type: 'button', onclick: () => this.pick(null) }, 'Cancel'));
  }

  private pick(run: Run | null): void {
    const { first } = this;
    if (run && first && run !== first) {
      const [before, after] = first.start_ms <= run.start_ms ? [first, run] : [run, first];
      location.href = comparisonOf(before.name, after.name);
      return;
    }
    this.first = run === first ? null : run;
    this.update();
  }

  private row(run: Run): HTMLElement {
    const cells = [
      minute(run.start_ms), count(run.samples), figure(run.per_s), percent(run.errors ?? 0, run.samples ?? 0),
      figure(run.p50_ms), figure(run.p95_ms), figure(run.p99_ms),
    ];
    // Times of failures are no times of the site.
    const allFailed = (run.samples ?? 0) > 0 && run.errors === run.samples;
    const isBad = (at: number) => COLUMNS[at]?.column === 'failed' && (run.errors ?? 0) > 0;
    return h('tr', { class: run === this.first ? 'chosen' : '' }, this.nameCell(run),
      ...cells.map((text, at) => h('td', { class: `${COLUMNS[at]?.wide ? 'wide' : ''} ${isBad(at) ? 'bad' : ''} ${allFailed && at >= FIRST_TIME ? 'soft' : ''}`, title: allFailed && at >= FIRST_TIME ? 'all samples failed: times of failures' : null }, text)),
      h('td', { class: 'text result' }, ...results(run, true)), this.actions(run));
  }

  private nameCell(run: Run): HTMLElement {
    const name = short(run.name);
    const title = run.has_folder ? h('a', { href: reportOf(run.name) }, name) : h('span', {}, name);
    const tags = run.tags.map(([tag, value]) => h('button', { type: 'button', class: 'tag', title: `Show runs with ${tag}=${value}`, onclick: () => this.change({ text: `${tag}=${value}` }) }, h('bdi', {}, `${tag}=${short(value, 40)}`)));
    return h('th', { scope: 'row' },
      h('div', { class: 'run-name' }, title, run.is_baseline && h('span', { class: 'badge small' }, 'baseline')),
      h('div', { class: 'soft small-line' }, h('a', { href: trendOf(run.subject), title: `Trend of ${run.subject}` }, short(subjectName(run.plan || run.subject), 60)),
        run.kind === 'run' ? '' : ` · ${run.kind}`, h('span', { class: 'narrow' }, ` · ${minute(run.start_ms)}`)),
      tags.length > 0 && h('div', { class: 'tags' }, ...tags),
      h('div', { class: 'narrow-result' }, ...results(run, false)),
      run.note !== '' && h('p', { class: 'run-note' }, h('bdi', {}, short(run.note, 300))));
  }

  private actions(run: Run): HTMLElement {
    const compare = h('button', { type: 'button', class: 'quiet', disabled: !run.has_folder, 'aria-pressed': run === this.first ? 'true' : 'false', 'aria-label': `Compare ${short(run.name)}`, onclick: () => this.pick(run) }, 'Compare');
    const change = this.list.may_change && h('button', { type: 'button', class: 'quiet', 'aria-label': `Edit ${short(run.name)}`, onclick: () => edit(run, (changed) => this.replace(run, changed)) }, 'Edit');
    return h('td', { class: 'actions' }, compare, change);
  }

  private replace(run: Run, changed: Run): void {
    if (changed.is_baseline) {
      for (const other of this.list.runs) if (other.subject === changed.subject) other.is_baseline = false;
    }
    // A new object, since its searched text is another one.
    this.list.runs[this.list.runs.indexOf(run)] = changed;
    this.update();
  }
}

/** The result of a run: thresholds, its state, and how well it was measured. */
function results(run: Run, withDash: boolean): Node[] {
  const badge = (text: string, tone: string) => h('span', { class: `badge small ${tone}` }, text);
  const found: Node[] = [];
  if (!run.has_folder) found.push(badge('folder is gone', 'doubtful'));
  if (run.state === 'running') found.push(badge('running', ''));
  if (run.state === 'killed') found.push(badge('killed', 'bad'));
  if (run.thresholds_result) found.push(badge(run.thresholds_result, run.thresholds_failed ? 'bad' : 'good'));
  if (run.measurement && run.measurement !== 'good') found.push(badge(`measurement ${run.measurement}`, run.measurement === 'unusable' ? 'bad' : 'doubtful'));
  return found.length > 0 || !withDash ? found : [document.createTextNode(DASH)];
}
