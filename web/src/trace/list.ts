// The tree as rows of one height, of which only those in view are in the document: 100,000 rows scroll as fast as ten.

import { h } from '../dom';
import { hasNoMatch } from './checks';
import { oneLine } from './text';
import type { TraceNode } from './tree';

const ROW_PX = 30;
/** Rows above and below the view that are there, too. */
const SPARE = 12;

export interface TreeList {
  element: HTMLElement;
  show(rows: TraceNode[]): void;
  select(node: TraceNode, reveal: boolean): void;
}

const MARKS: Record<string, [string, string]> = {
  passed: ['✓', 'passed'], failed: ['✗', 'failed'], skipped: ['–', 'did not run'], not_run: ['–', 'not run'],
};

/** An extractor found nothing, which mostly shows at a later step only. */
function lacksMatch({ subject }: TraceNode): boolean {
  return subject.kind === 'step' && subject.step.actions.some(hasNoMatch);
}

function depthOf(node: TraceNode): number {
  let depth = 0;
  for (let above = node.parent; above; above = above.parent) depth += 1;
  return depth;
}

function rowOf(node: TraceNode, at: number, isSelected: boolean): HTMLElement {
  const [mark, words] = MARKS[node.status] ?? ['', ''];
  const depth = depthOf(node);
  const folds = node.children.length > 0;
  const count = !node.isOpen || node.subject.kind === 'group' || node.subject.kind === 'iteration' ? node.failed : 0;
  const number = node.subject.kind === 'step' ? `${node.subject.step.number}` : '';
  const row = h('div', {
    id: `row-${node.id}`, role: 'treeitem', class: `row ${node.subject.kind} ${node.status}`, 'aria-level': depth + 1, 'aria-selected': isSelected ? 'true' : 'false',
    'aria-expanded': folds ? (node.isOpen ? 'true' : 'false') : null, 'data-id': node.id, title: oneLine(node.name, 300),
  },
  h('span', { class: `fold${folds ? (node.isOpen ? ' open' : '') : ' none'}`, 'aria-hidden': 'true' }, folds ? '▸' : ''),
  h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
  words ? h('span', { class: 'for-readers' }, `${words}: `) : null,
  number ? h('span', { class: 'number' }, number) : null,
  h('span', { class: 'name' }, oneLine(node.name) || '(no name)'),
  count > 0 ? h('span', { class: 'badge small bad' }, `${count} failed`) : null,
  lacksMatch(node) ? h('span', { class: 'badge small doubtful' }, 'no match') : null,
  h('span', { class: 'detail' }, oneLine(node.detail, 60)));
  row.style.transform = `translateY(${at * ROW_PX}px)`;
  row.style.setProperty('--depth', String(Math.min(depth, 12)));
  return row;
}

/** A list whose rows are chosen and folded with the mouse; the page handles its keys. */
export function treeList(onChoose: (node: TraceNode) => void, onFold: (node: TraceNode) => void): TreeList {
  let rows: TraceNode[] = [];
  let selected: TraceNode | null = null;
  const space = h('div', { class: 'space', role: 'none' });
  const element = h('div', { class: 'tree', role: 'tree', tabindex: 0, 'aria-label': 'Steps' }, space);
  const nothing = h('p', { class: 'soft nothing', hidden: true }, 'No step matches the filter.');
  const draw = () => {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - SPARE);
    const last = Math.min(rows.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW_PX) + SPARE);
    space.replaceChildren(...rows.slice(first, last).map((node, at) => rowOf(node, first + at, node === selected)));
    const isThere = selected !== null && space.querySelector(`#row-${selected.id}`) !== null;
    if (isThere && selected) element.setAttribute('aria-activedescendant', `row-${selected.id}`);
    else element.removeAttribute('aria-activedescendant');
  };
  const nodeAt = (event: Event) => {
    const row = (event.target as Element).closest('[data-id]');
    return row ? rows.find((node) => String(node.id) === row.getAttribute('data-id')) : undefined;
  };
  element.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(element);
  space.addEventListener('click', (event) => {
    const node = nodeAt(event);
    if (!node) return;
    if ((event.target as Element).closest('.fold:not(.none)')) onFold(node);
    else onChoose(node);
  });
  space.addEventListener('dblclick', (event) => {
    const node = nodeAt(event);
    if (node && node.children.length > 0) onFold(node);
  });
  const reveal = () => {
    const at = selected ? rows.indexOf(selected) : -1;
    if (at < 0) return;
    const top = at * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_PX > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW_PX - element.clientHeight;
  };
  return {
    element: h('div', { class: 'tree-pane' }, element, nothing),
    show(shown) {
      rows = shown;
      space.style.height = `${rows.length * ROW_PX}px`;
      nothing.hidden = rows.length > 0;
      draw();
    },
    select(node, isRevealed) {
      selected = node;
      if (isRevealed) reveal();
      draw();
    },
  };
}
