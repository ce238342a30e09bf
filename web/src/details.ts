// Tables below the charts: transactions, the slowest samples, changes of the load.

import { h } from './dom';
import { clock, count, DASH, date, duration, figure, percent } from './format';
import { labelText } from './labels';
import type { Store } from './store';
import { scrolled, table } from './table';
import { has, lines } from './transactions';

/** Number of slowest samples shown before the user asks for more. */
const FEW_SLOW = 15;

/** A table in a region that scrolls. */
const listed = (caption: string, heads: string[], rows: (Node | string)[][], textColumns: number[]) =>
  scrolled(caption, table(caption, heads, rows, textColumns));

export class Details {
  readonly slowest = h('section', { id: 'slowest' });
  readonly events = h('section', { id: 'journal' });
  readonly transactions = h('section', { id: 'transactions' });
  private last = '';
  private lastTransactions = '';
  private allSlow = false;

  constructor(private readonly store: Store) {}

  update(): void {
    this.showTransactions();
    const { slowest, events } = this.store.doc;
    const now = JSON.stringify([slowest, events, this.store.range]);
    if (now === this.last) return;
    this.last = now;
    this.showSlowest();
    this.showEvents();
  }

  private showTransactions(): void {
    const { doc } = this.store;
    this.transactions.hidden = !has(doc);
    if (this.transactions.hidden) return;
    const shown = lines(doc.transactions, this.store.rows().rows);
    const now = JSON.stringify(shown);
    if (now === this.lastTransactions) return;
    this.lastTransactions = now;
    const rows = shown.map(({ row, is_part, share }) => [
      h('span', { class: is_part ? 'part' : 'whole' }, labelText(this.store, row.label)), count(row.samples), percent(row.errors, row.samples), figure(row.mean_ms),
      ...[0, 2, 3].map((at) => figure(row.percentiles_ms[at])), is_part ? (share === null ? DASH : percent(share, 1)) : '',
    ]);
    const heads = ['transaction and its parts', 'samples', 'failed', 'mean', 'p50', 'p95', 'p99', 'share of time'];
    const words = h('p', { class: 'soft' }, `Times in milliseconds. The rest of a transaction's time belongs to timers, if they are included, and to parts that are not listed; ${DASH}: the label occurs more than once in the plan.`);
    this.transactions.replaceChildren(h('h2', {}, 'Transactions'), words, listed('Transactions with their parts', heads, rows, [0]));
  }

  private showSlowest(): void {
    const { slowest } = this.store.doc;
    const [from, to] = this.store.shown;
    const inside = slowest.filter((slow) => slow.at_ms >= from && slow.at_ms <= to);
    const more = h('button', { type: 'button', class: 'more', hidden: this.allSlow || inside.length <= FEW_SLOW, onclick: () => {
      this.allSlow = true;
      this.showSlowest();
    } }, `Show all ${inside.length}`);
    const rows = inside.slice(0, this.allSlow ? inside.length : FEW_SLOW).map((slow) => [duration(slow.ms), labelText(this.store, slow.label), clock(slow.at_ms)]);
    this.slowest.hidden = slowest.length === 0;
    const words = h('p', { class: 'soft' }, 'The slowest sample of each label and second, slowest first.');
    const empty = h('p', { class: 'soft' }, 'None of the run\'s slowest samples ended in this period.');
    this.slowest.replaceChildren(h('h2', {}, 'Slowest samples'), words, rows.length > 0 ? listed('Slowest samples', ['response time', 'label', 'ended'], rows, [1, 2]) : empty, more);
  }

  private showEvents(): void {
    const { events } = this.store.doc;
    const rows = events.map((event) => [date(event.at_ms), event.what, event.who]);
    this.events.hidden = rows.length === 0;
    this.events.replaceChildren(h('h2', {}, 'Journal'), listed('Events of the run', ['time', 'event', 'by'], rows, [0, 1, 2]));
  }
}
