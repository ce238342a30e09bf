// The first screen: verdict with reasons, what was run, and the figures that matter most.

import { QUANTILE_NAMES, type Grade, type PageDocument, type Row, type Rule } from './document';
import { h } from './dom';
import { bytes, count, date, duration, figure, percent, span } from './format';
import { facts } from './shell';
import type { Store } from './store';

const MEANING: Record<Grade, string> = {
  VALID: 'The figures describe the server: the load generator had no significant effect on them.',
  DEGRADED: 'The load generator or its machine affected some of the figures: see the reasons.',
  INVALID: 'Do not use these figures: the load generator or its machine distorted them.',
};

export class Result {
  readonly element = h('section', { class: 'result', 'aria-label': 'Result' });
  private readonly verdict = h('div', { class: 'card verdict' });
  private readonly facts = h('div', { class: 'card facts' });
  private readonly thresholds = h('div', { class: 'card thresholds', id: 'thresholds' });
  private readonly tiles = h('div', { class: 'tiles' });
  private lastRules = '';
  private lastFacts = '';

  constructor(private readonly store: Store) {
    this.element.append(h('div', { class: 'two' }, this.verdict, this.facts), this.thresholds, this.tiles);
  }

  update(): void {
    this.showFacts();
    this.showVerdict();
    this.showThresholds();
    this.showTiles();
  }

  private showVerdict(): void {
    const { verdict, headline, live } = this.store.doc;
    const grade = verdict?.grade;
    const soFar = live && !verdict ? this.store.doc.so_far : null;
    this.verdict.className = `card verdict ${grade ?? soFar?.grade ?? ''}`;
    const title = h('h2', {}, h('span', { class: `grade ${grade ?? ''}` }, grade ?? (live ? 'RUNNING' : 'NO VERDICT')));
    const words = grade ? MEANING[grade] : live ? 'The verdict is given at the end of the run.' : this.why();
    const reasons = (verdict?.reasons ?? []).map((reason) =>
      h('li', {}, h('span', { class: `grade small ${reason.grade}` }, reason.grade), ' ', reason.text));
    this.verdict.replaceChildren(
      title,
      soFar ? h('p', {}, 'So far ', h('span', { class: `grade small ${soFar.grade}` }, soFar.grade), ` ${MEANING[soFar.grade]}`) : '',
      soFar && soFar.reasons.length > 0 ? h('ul', { class: 'reasons' }, ...soFar.reasons.map((text) => h('li', {}, text))) : '',
      h('p', { class: soFar ? 'soft' : '' }, words),
      headline ? h('p', { class: 'headline' }, headline) : '',
      reasons.length > 0 ? h('ul', { class: 'reasons' }, ...reasons) : '',
      ...(verdict?.advice ?? []).map((text) => h('p', { class: 'advice' }, text)),
      this.store.doc.warm_up ? h('p', { class: 'soft' }, this.store.doc.warm_up) : '',
      ...this.store.doc.notes.map((text) => h('p', { class: 'soft note' }, text)),
    );
  }

  private why(): string {
    return this.store.doc.total.samples === 0
      ? 'Nothing ran: there is no sample.'
      : 'A results file does not record how well the tool measured, and a run without an end is not judged.';
  }

  private showThresholds(): void {
    const { thresholds, live } = this.store.doc;
    const now = JSON.stringify([thresholds, live]);
    if (now === this.lastRules) return;
    this.lastRules = now;
    const { kept, broken, open, rules } = thresholds;
    this.thresholds.hidden = rules.length === 0;
    this.thresholds.classList.toggle('INVALID', broken > 0);
    const grade = broken > 0 ? 'INVALID' : open > 0 ? '' : 'VALID';
    const word = broken > 0 ? `FAILED: ${broken} of ${kept + broken + open}` : `PASSED: ${open > 0 ? `${kept} of ${kept + open}` : `all ${kept}`}`;
    const more = kept + broken + open - rules.length;
    this.thresholds.replaceChildren(
      h('h2', {}, live ? 'Thresholds so far ' : 'Thresholds ', h('span', { class: `grade small ${grade}` }, word)),
      h('ul', { class: 'reasons' }, ...rules.map(ruleItem)),
      more > 0 ? h('p', { class: 'soft' }, `and ${count(more)} more`) : '',
    );
  }

  private showFacts(): void {
    const { doc } = this.store;
    const own: [string, string][] = [['Started', `${date(doc.start_ms)} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`]];
    if (!doc.live) own.push(['Lasted', span(doc.duration_s)]);
    const all = [...doc.facts, ...own];
    const now = JSON.stringify(all);
    if (now === this.lastFacts) return;
    this.lastFacts = now;
    this.facts.replaceChildren(h('h2', {}, 'What was run'), facts(all));
  }

  private showTiles(): void {
    const { total } = this.store.rows();
    const tiles: [string, string, string][] = [
      ['Samples', count(total.samples), `in ${span(this.seconds())}`],
      ['Failed', percent(total.errors, total.samples), `${count(total.errors)} samples`],
      ['Rate', `${figure(total.per_s)}/s`, `${bytes(total.received_per_s)}/s received`],
      ['Median', duration(total.percentiles_ms[0]), `mean ${duration(total.mean_ms)}`],
      percentileTile(total, 2),
      percentileTile(total, 3),
      ['APDEX', total.apdex === null ? '–' : total.apdex.toFixed(3), apdexWords(this.store.doc)],
      ['Users', count(this.mostUsers()), 'at most'],
    ];
    const failed = total.errors > 0;
    this.tiles.replaceChildren(...tiles.map(([name, value, more]) =>
      h('div', { class: `card tile ${name === 'Failed' && failed ? 'bad' : ''}` }, h('span', { class: 'soft' }, name), h('b', {}, value), h('small', { class: 'soft' }, more))));
  }

  private seconds(): number {
    const { doc, range } = this.store;
    if (!range) return doc.duration_s;
    const [from, to] = this.store.snapped;
    return Math.max(0, (Math.min(to, doc.start_ms + doc.duration_s * 1000) - from) / 1000);
  }

  private mostUsers(): number | null {
    const { doc } = this.store;
    const [from, to] = this.store.shown;
    const width = doc.time.width_ms;
    const known = doc.time.columns.users.filter((users, at) => {
      const start = doc.start_ms + at * width;
      return users !== null && start + width > from && start < to;
    }) as number[];
    return known.length > 0 ? known.reduce((a, b) => Math.max(a, b), 0) : null;
  }
}

function ruleItem({ rule, passed, text, aborted }: Rule): HTMLElement {
  const [grade, word] = passed === null ? ['', 'open'] : passed ? ['VALID', 'passed'] : ['INVALID', 'FAILED'];
  return h('li', {}, h('span', { class: `grade small ${grade}` }, word), ' ', h('code', {}, rule), ` ${text}${aborted ? '; it ended the run' : ''}`);
}

function percentileTile(total: Row, at: number): [string, string, string] {
  const [value, interval] = [total.percentiles_ms[at] ?? null, total.intervals_ms[at] ?? null];
  const words = interval ? `${figure(interval[0])} to ${figure(interval[1])} (95 % CI)` : value === null ? 'too few samples' : 'of all samples';
  return [QUANTILE_NAMES[at] ?? '', duration(value), words];
}

function apdexWords(doc: PageDocument): string {
  const [satisfied, tolerated] = doc.apdex_ms;
  return `satisfied ${duration(satisfied)}, tolerated ${duration(tolerated)}`;
}
