// Thresholds with their results, and what was run.

import type { Rule } from './document';
import { h } from './dom';
import { count, date, span } from './format';
import { facts, factsCard } from './shell';
import type { Store } from './store';

export class ThresholdList {
  readonly element = h('div', { class: 'card thresholds', id: 'thresholds' });
  private last = '';

  constructor(private readonly store: Store) {}

  update(): void {
    const { thresholds, live } = this.store.doc;
    const now = JSON.stringify([thresholds, live]);
    if (now === this.last) return;
    this.last = now;
    const { kept, broken, open, rules } = thresholds;
    this.element.hidden = rules.length === 0;
    const more = kept + broken + open - rules.length;
    this.element.replaceChildren(
      h('h2', {}, live ? 'Thresholds so far' : 'Thresholds'),
      h('ul', { class: 'reasons' }, ...rules.map(item)),
      more > 0 ? h('p', { class: 'soft' }, `and ${count(more)} more`) : '',
    );
  }
}

function item({ rule, passed, text, aborted, all_failed }: Rule): HTMLElement {
  // That times of failures are short is no success.
  const [tone, word] = passed === null ? ['', 'open'] : passed ? [all_failed ? '' : 'good', 'passed'] : ['bad', 'failed'];
  return h('li', {}, h('span', { class: `badge small ${tone}` }, word), h('code', {}, rule), h('span', {}, `${text}${aborted ? '; this ended the run' : ''}`));
}

export class Facts {
  private readonly list = h('div', {});
  private readonly brief = h('span', { class: 'soft brief' });
  readonly element: HTMLDetailsElement = factsCard(this.list);
  private last = '';

  constructor(private readonly store: Store) {
    // Who watches a run wants its curves in sight, and who reads of failures wants their causes and labels.
    if (store.doc.live || store.doc.errors.length > 0) this.element.open = false;
    this.element.querySelector('summary')?.append(this.brief);
  }

  update(): void {
    const { doc } = this.store;
    const own: [string, string][] = doc.start_ms === 0 ? [] : [['Started', `${date(doc.start_ms)} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`]];
    if (!doc.live && doc.start_ms > 0) own.push(['Duration', span(doc.duration_s)]);
    const all = [...doc.facts, ...own];
    const now = JSON.stringify(all);
    if (now === this.last) return;
    this.last = now;
    this.list.replaceChildren(facts(all));
    const brief = ['Run', 'Version', 'Started'].flatMap((name) => all.filter(([known]) => known === name)).map(([name, value]) => (name === 'Version' ? `version ${value}` : value));
    this.brief.textContent = brief.join(', ');
  }
}
