// Failed samples by cause, each with its first example.

import type { ErrorRow } from './document';
import { h } from './dom';
import { clock, count, percent } from './format';
import { labelText } from './labels';
import type { Store } from './store';
import { scrolled, table } from './table';

/** Causes that are shown before somebody asks for more. */
const FEW = 6;

export class Failures {
  readonly element = h('section', { id: 'failed' });
  private last = '';
  private all = false;

  constructor(private readonly store: Store) {}

  update(): void {
    const { errors, other_errors, total } = this.store.doc;
    const now = JSON.stringify([errors, other_errors, total.samples]);
    if (now === this.last) return;
    this.last = now;
    this.show();
  }

  private show(): void {
    const { errors, other_errors, total } = this.store.doc;
    this.element.hidden = errors.length === 0 && other_errors === 0;
    const rows = (this.all ? errors : errors.slice(0, FEW)).map((error) => causeRow(this.store, error, total.samples));
    if (other_errors > 0 && (this.all || errors.length <= FEW)) rows.push(['others', '', count(other_errors), percent(other_errors, total.samples), '']);
    const more = h('button', { type: 'button', class: 'more', hidden: this.all || errors.length <= FEW, onclick: () => {
      this.all = true;
      this.show();
    } }, `Show all ${count(errors.length)} causes`);
    const shown = table('Failed samples by cause', ['what failed', 'kind', 'samples', 'share', 'first example'], rows, [0, 1, 4]);
    shown.classList.add('causes');
    this.element.replaceChildren(h('h2', {}, 'Failed samples'), scrolled('Failed samples by cause', shown), more);
  }
}

/** A line of a table of causes. */
export function causeRow(store: Store, error: ErrorRow, samples: number): (Node | string)[] {
  // What came instead is mostly in the first sentence.
  const got = error.got === '' || error.lead.includes(error.got) ? '' : `; got ${error.got}`;
  return [
    h('span', { class: 'clamp', title: error.lead }, h('b', {}, error.lead), error.expected && h('small', { class: 'soft' }, ` expected ${error.expected}${got}`)),
    error.kind,
    count(error.count),
    percent(error.count, samples),
    h('span', {}, labelText(store, error.label), h('small', { class: 'soft' }, clock(error.first_ms, true)), error.kept ? stepsLink(error.kept) : null),
  ];
}

/** Where a failure of the cause is shown with the steps before it. */
function stepsLink(address: string): HTMLElement {
  return h('a', { class: 'steps-link', href: address, target: '_blank', rel: 'opener' }, 'Show its steps');
}
