// The bar above each page but the list: back to the list, and what can be done with a run.

import { h } from '../dom';
import { LIST } from './places';

export function bar(...more: Node[]): HTMLElement {
  return h('nav', { class: 'runs-bar', 'aria-label': 'Kept runs' }, h('a', { href: LIST }, '← Kept runs'), ...more);
}
