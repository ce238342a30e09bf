// How well the figures describe the server: a word, and folded below it the verdict with its reasons.

import { ownCharts } from './charts';
import type { Grade, Measurement, PageDocument, Tone } from './document';
import { h } from './dom';
import type { Store } from './store';

export const MEASUREMENT_TONE: Record<Measurement, Tone> = { good: 'good', doubtful: 'doubtful', unusable: 'bad' };

const MEANING: Record<Measurement, string> = {
  good: 'The figures describe the server: the load generator had no significant effect on them.',
  doubtful: 'The load generator or its machine affected some of the figures.',
  unusable: 'Do not use these figures: the load generator or its machine distorted them.',
};

export interface Measured {
  /** Null while it is too early to say. */
  word: Measurement | null;
  is_so_far: boolean;
  grade: Grade;
  /** The first and worst reason. */
  reason: string | null;
  reasons: { grade: Grade | null; text: string }[];
  advice: string[];
}

/** What is known of the measurement; null where nothing is. */
export function measured({ verdict, measurement, so_far, live }: PageDocument): Measured | null {
  if (verdict && measurement) {
    const { grade, reasons, advice } = verdict;
    return { word: measurement, is_so_far: false, grade, reason: reasons[0]?.text ?? null, reasons, advice };
  }
  if (!live || !so_far) return null;
  const { grade, is_settled } = so_far;
  const reasons = so_far.reasons.map((text) => ({ grade: null, text }));
  const word = is_settled ? so_far.measurement : null;
  return { word, is_so_far: true, grade, reason: is_settled ? (so_far.reasons[0] ?? null) : null, reasons, advice: [] };
}

export class MeasurementSection {
  readonly element = h('section', { id: 'measurement' });
  private readonly about = h('div', { class: 'card measurement' });
  private readonly charts;
  private last = '';
  /** Whether a reader opened or closed the reasons. */
  private isOpen: boolean | null = null;

  constructor(private readonly store: Store) {
    this.charts = ownCharts(store);
    this.element.append(h('h2', {}, 'Measurement'), this.about, h('div', { class: 'grid' }, ...this.charts.map((chart) => chart.element)));
  }

  update(): void {
    for (const chart of this.charts) chart.update();
    const { doc } = this.store;
    const known = measured(doc);
    const now = JSON.stringify([known, doc.p95_stands, doc.live, doc.total.samples > 0]);
    if (now === this.last) return;
    this.last = now;
    if (known) this.show(known);
    else this.about.replaceChildren(h('p', {}, this.unknown()));
  }

  private show(known: Measured): void {
    const { word, is_so_far, grade, reasons, advice } = known;
    const tone = word && MEASUREMENT_TONE[word];
    this.about.className = `card measurement ${tone ?? ''}`;
    const text = word ? MEANING[word] : 'There are too few samples and seconds to judge by.';
    const fold = h('details', { open: this.isOpen ?? (word !== null && word !== 'good') },
      h('summary', { onclick: () => (this.isOpen = !fold.open) }, `Verdict ${grade}${is_so_far ? ' if the run ended now' : ''}`, reasons.length > 0 ? `: ${reasons.length === 1 ? 'one reason' : `${reasons.length} reasons`}` : ''),
      reasons.length > 0 ? h('ul', { class: 'reasons' }, ...reasons.map((one) =>
        h('li', {}, one.grade ? h('span', { class: `grade small ${one.grade}` }, one.grade) : '', one.grade ? ' ' : '', one.text))) : h('p', {}, 'All gates of the verdict are valid.'),
      ...advice.map((text) => h('p', { class: 'advice' }, text)));
    this.about.replaceChildren(
      h('p', { class: 'word' }, h('span', { class: `badge ${tone ?? ''}` }, h('b', {}, word ?? 'too early to say')), is_so_far ? h('span', { class: 'soft' }, 'so far') : ''),
      h('p', {}, text), this.stands(), fold);
  }

  /** Whether the p95 stands. */
  private stands(): HTMLElement | string {
    const text = this.store.doc.p95_stands;
    return text ? h('p', {}, h('b', {}, text), '.') : '';
  }

  private unknown(): string {
    const { live, total } = this.store.doc;
    if (live) return 'It is judged from the first samples on.';
    if (total.samples === 0) return 'Nothing ran: there are no samples.';
    return 'Not assessed: a results file does not record how well the tool measured, and a run that was killed has no verdict.';
  }
}
