// The first screen: how the site did in a sentence, how well that was measured in a word, and the figures that matter most.

import { QUANTILE_NAMES, type PageDocument, type Row, type Tone } from './document';
import { h } from './dom';
import { bytes, count, DASH, duration, figure, percent, span } from './format';
import { MEASUREMENT_TONE, measured } from './measurement';
import type { Store } from './store';

/** Notes in sight; the others are folded. */
const FEW_NOTES = 2;

export class Answer {
  readonly element = h('section', { class: 'result', id: 'result', 'aria-label': 'Result' });
  private readonly card = h('div', { class: 'card answer' });
  private readonly tiles = h('dl', { class: 'tiles' });
  private last = '';

  constructor(private readonly store: Store) {
    this.element.append(this.card, this.tiles);
  }

  update(): void {
    this.showAnswer();
    this.showTiles();
  }

  private showAnswer(): void {
    const { doc } = this.store;
    const { kept, broken, open } = doc.thresholds;
    const now = JSON.stringify([doc.headline, doc.headline_tone, kept, broken, open, doc.live, doc.warm_up, doc.notes, measured(doc)]);
    if (now === this.last) return;
    this.last = now;
    this.card.className = `card answer ${doc.headline_tone ?? ''}`;
    const [few, more] = [doc.notes.slice(0, FEW_NOTES), doc.notes.slice(FEW_NOTES)];
    const note = (text: string) => h('p', { class: 'soft remark' }, text);
    this.card.replaceChildren(
      h('h2', { class: 'headline' }, headline(doc)),
      h('p', { class: 'badges' }, thresholdBadge(doc), measurementBadge(doc)),
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
    const failed = total.errors > 0;
    this.tiles.replaceChildren(...tiles.map(([name, value, more]) =>
      h('div', { class: `card tile ${name === 'Failed' && failed ? 'bad' : ''}` }, h('dt', {}, name), h('dd', {}, h('b', {}, value), h('small', { class: 'soft' }, more)))));
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
  // Without a figure it begins with a word.
  if (headline) return /^[a-z]+ /.test(headline) ? headline.charAt(0).toUpperCase() + headline.slice(1) : headline;
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
  const { kept, broken, open } = thresholds;
  const all = kept + broken + open;
  if (all === 0) return '';
  const name = live ? 'Thresholds so far' : 'Thresholds';
  if (broken > 0) return badge(name, `${broken} of ${all} failed`, 'bad', 'thresholds');
  if (open > 0) return badge(name, `none of ${all} failed`, null, 'thresholds');
  return badge(name, all === 1 ? 'passed' : `all ${all} passed`, 'good', 'thresholds');
}

function measurementBadge(doc: PageDocument): HTMLElement | string {
  const known = measured(doc);
  if (!known) return doc.live ? '' : badge('Measurement', 'not assessed', null, 'measurement');
  const { word, is_so_far, reason } = known;
  const tone = word && MEASUREMENT_TONE[word];
  const badged = badge(is_so_far ? 'Measurement so far' : 'Measurement', word ?? 'too early to say', tone, 'measurement');
  return h('span', { class: 'measured' }, badged, reason && word !== 'good' ? h('span', { class: 'soft why', title: reason }, reason) : '');
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
