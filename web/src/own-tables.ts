// Tables of custom figures and of groups of labels.

import { h } from './dom';
import type { Store } from './store';
import { scrolled, table } from './table';

export class OwnTables {
  readonly element = h('section', { id: 'figures' });
  private last = '';

  constructor(private readonly store: Store) {}

  update(): void {
    // Reports of earlier versions have none.
    const tables = this.store.doc.tables ?? [];
    const now = JSON.stringify(tables);
    if (now === this.last) return;
    this.last = now;
    this.element.hidden = tables.length === 0;
    this.element.replaceChildren(...tables.flatMap(({ caption, head, rows }) => {
      const texts = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.text)));
      return [h('h2', {}, caption), scrolled(caption, table(caption, head, texts, head[1] === 'label' ? [0, 1] : [0]))];
    }));
  }
}
