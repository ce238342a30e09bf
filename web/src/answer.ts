// The first screen: how the site did in a sentence, how well that was measured in a word, and the figures that matter most.

import { QUANTILE_NAMES, type Earlier, type PageDocument, type Row, type Rule, type Tone } from './document';
import { h } from './dom';
import { bytes, count, DASH, duration, figure, minute, percent, span } from './format';
import { allFailed } from './labels';
import { MEASUREMENT_TONE, measured } from './measurement';
import { Overview } from './overview';
import type { Store } from './store';

/** Notes in sight; the others are folded. */
const FEW_NOTES = 2;

/** Tiles with times of samples. */
const TIME_TILES = ['Median', ...QUANTILE_NAMES];

export class Answer {
  readonly element = h('section', { class: 'result', id: 'result', 'aria-label': 'Result' });
  private readonly card = h('div', { class: 'card answer' });
  private readonly tiles = h('dl', { class: 'tiles' });
  private readonly overview: Overview;
  private readonly first = h('div', { class: 'first' });
  private last = '';

  constructor(private readonly store: Store) {
    this.overview = new Overview(store);
    this.first.append(this.card, this.overview.element);
    this.element.append(this.first, this.tiles);
  }

  update(): void {
    this.showAnswer();
    this.showTiles();
    this.overview.update();
    this.first.classList.toggle('one', this.overview.element.hidden);
  }

  private showAnswer(): void {
    const { doc } = this.store;
    const now = JSON.stringify([doc.headline, doc.headline_tone, doc.thresholds.result, doc.live, doc.warm_up, doc.notes, measured(doc), doc.earlier, doc.p95_stands]);
    if (now === this.last) return;
    this.last = now;
    this.card.className = `card answer ${doc.headline_tone ?? ''}`;
    const [few, more] = [doc.notes.slice(0, FEW_NOTES), doc.notes.slice(FEW_NOTES)];
    const note = (text: string) => h('p', { class: 'soft remark' }, text);
    this.card.replaceChildren(
      h('h2', { class: 'headline' }, headline(doc)),
      h('p', { class: 'badges' }, thresholdBadge(doc), measurementBadge(doc)),
      doc.earlier ? since(doc.earlier) : '',
      doc.warm_up ? note(doc.warm_up) : '',
      ...few.map(note),
      more.length > 0 ? h('details', {}, h('summary', {}, more.length === 1 ? 'One more note' : `${more.length} more notes`), ...more.map(note)) : '',
    );
  }

  private showTiles(): void {
    const { total } = this.store.rows();
    const tiles: [string, string, string][] = [
      ['Samples', count(total.samples), `in ${span(this.seconds())}`],
      ['Failed', percent(total.errors, total.samples), total.errors === 1 ? '1 sample' : `${count(total.errors)} samples`],
      ['Rate', total.samples > 0 ? `${figure(total.per_s)}/s` : DASH, `${bytes(total.received_per_s)}/s received`],
      ['Median', duration(total.percentiles_ms[0]), total.samples > 0 ? `mean ${duration(total.mean_ms)}` : 'too few samples'],
      percentileTile(total, 2),
      percentileTile(total, 3),
      ['Users', count(this.mostUsers()), 'peak'],
      ['APDEX', total.apdex === null ? '–' : total.apdex.toFixed(3), apdexWords(this.store.doc)],
    ];
    // A zoomed page has figures that no threshold judged.
    const rules = this.store.range ? [] : this.store.doc.thresholds.rules;
    this.tiles.replaceChildren(...tiles.map(([name, value, more]) => {
      const limits = rules.filter((rule) => rule.figure === name);
      const isMuted = TIME_TILES.includes(name) && allFailed(total);
      const isBad = (name === 'Failed' && total.errors > 0) || limits.some((rule) => rule.passed === false);
      const shade = isMuted ? 'muted' : isBad ? 'bad' : '';
      return h('div', { class: `card tile ${shade}` }, h('dt', {}, name),
        h('dd', {}, h('b', {}, value), ...limits.map(limitLine), h('small', { class: 'soft' }, isMuted ? 'all failed' : more)));
    }));
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

function headline({ headline, live, total }: PageDocument): string {
  // Without a figure it begins with a word. A number stays on the line of its unit.
  if (headline) return (headline.charAt(0).toUpperCase() + headline.slice(1)).replace(/(\d) (%|ms|s|min|h)(?![\w/])/g, '$1\u00a0$2');
  return live && total.samples === 0 ? 'Waiting for the first sample' : 'No sample was taken';
}

/** A word with its colour, which leads to the section that explains it. */
function badge(name: string, word: string, tone: Tone | null, section: string): HTMLElement {
  const go = (event: Event) => {
    event.preventDefault();
    document.getElementById(section)?.scrollIntoView();
  };
  return h('a', { class: `badge ${tone ?? ''}`, href: `#${section}`, onclick: go }, h('span', {}, `${name}: `), h('b', {}, word));
}

function thresholdBadge({ thresholds, live }: PageDocument): HTMLElement | string {
  const { broken, open, result } = thresholds;
  if (result === null) return '';
  const tone = broken > 0 ? 'bad' : open > 0 ? null : 'good';
  return badge(live ? 'Thresholds so far' : 'Thresholds', result, tone, 'thresholds');
}

/** The limit of a tile, with a sign that needs no colour. */
function limitLine({ limit, passed, all_failed }: Rule): HTMLElement {
  const [sign, word, tone] = passed === null ? ['', '', ''] : !passed ? ['✗ ', 'failed: ', 'bad'] : all_failed ? ['', '', ''] : ['✓ ', 'passed: ', 'good'];
  return h('small', { class: `limit ${tone}` }, h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'for-readers' }, word), `limit ${limit ?? ''}`);
}

/** What changed since the run before, and the command that says more. */
function since({ name, start_ms, change, command }: Earlier): HTMLElement {
  return h('p', { class: 'since' }, `Since ${name} (${minute(start_ms)}): `, h('b', {}, change), ' ', h('code', {}, command));
}

function measurementBadge(doc: PageDocument): HTMLElement | string {
  const known = measured(doc);
  if (!known) return doc.live ? '' : badge('Measurement', 'not assessed', null, 'measurement');
  const { word, is_so_far, reason } = known;
  const tone = word && MEASUREMENT_TONE[word];
  const badged = badge(is_so_far ? 'Measurement so far' : 'Measurement', word ?? 'too early to say', tone, 'measurement');
  const why = [word === 'good' ? null : reason, doc.p95_stands].filter((text) => text !== null && text !== undefined).join('; ');
  return h('span', { class: 'measured' }, badged, why ? h('span', { class: 'soft why', title: why }, why) : '');
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
