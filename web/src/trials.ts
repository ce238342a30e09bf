// The trials of a study: which one runs, and the results of those before it.

import type { Study } from './document';
import { h, setText } from './dom';
import { count, duration, figure, percent } from './format';
import type { Store } from './store';
import { scrolled, table } from './table';

const HEADS = ['trial', 'load', 'per second', 'p95', 'failed', 'thresholds', 'result'];

/** A line for each finished trial, the last one first. */
export function rows(study: Study): string[][] {
  const known = (met: boolean | null) => (met === null ? '' : met ? 'passed' : 'FAILED');
  return [...study.trials].reverse().map((trial) => [
    count(trial.number), trial.load, figure(trial.per_s), duration(trial.p95_ms),
    trial.error_percent === null ? '' : percent(trial.error_percent, 100), known(trial.is_met), trial.text,
  ]);
}

/** What happens now. */
export function state(study: Study): string {
  const { running, trials, earlier } = study;
  const last = trials.at(-1);
  if (running) return `Trial ${running.number} is running: ${running.load}`;
  if (!last) return 'The first trial has not started.';
  return `Trial ${last.number} has finished.${earlier > 0 ? ` The first ${count(earlier)} trials are not shown.` : ''}`;
}

export class Trials {
  private readonly now = h('p', { role: 'status' });
  private readonly list = h('div', {});
  readonly element = h('section', { id: 'trials', hidden: true }, h('h2', {}, 'Trials'), this.now, this.list);
  private last = '';

  constructor(private readonly store: Store) {}

  update(): void {
    const { study } = this.store.doc;
    this.element.hidden = !study;
    if (!study) return;
    setText(this.now, state(study));
    const shown = JSON.stringify(study.trials);
    if (shown === this.last) return;
    this.last = shown;
    this.list.replaceChildren(...(study.trials.length > 0 ? [scrolled('Finished trials', table('Finished trials', HEADS, rows(study), [1, 5, 6]))] : []));
  }
}
