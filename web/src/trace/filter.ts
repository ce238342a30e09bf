// Which rows of the tree a filter leaves.

import { contentText } from './text';
import type { Content, Exchange, Sample } from './events';
import { isFailure, type TraceNode } from './tree';

export type Where = 'label' | 'url' | 'body';

export interface Filter {
  text: string;
  where: Where;
  onlyFailed: boolean;
}

export function isEmpty(filter: Filter): boolean {
  return filter.text === '' && !filter.onlyFailed;
}

/** A test that ignores case and takes the text as it is. */
function finder(text: string): (where: string) => boolean {
  const pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  return (where) => pattern.test(where);
}

function textsOf(content: Content | undefined, charset: string): string[] {
  return content ? [contentText(content, charset).text] : [];
}

function urls(sample: Sample | null, exchanges: Exchange[]): string[] {
  return [sample?.url ?? '', ...[...exchanges, ...(sample?.exchanges ?? [])].map((one) => `${one.method} ${one.url}`)];
}

function bodies(sample: Sample | null, exchanges: Exchange[]): string[] {
  const all = [...exchanges, ...(sample?.exchanges ?? [])];
  const sent = all.flatMap((one) => [...textsOf(one.request?.head, ''), ...textsOf(one.request?.body, ''), ...textsOf(one.response?.head, '')]);
  return [...sent, sample?.sent ?? '', sample?.response_headers ?? '', ...textsOf(sample?.body, sample?.charset ?? '')];
}

function matches(node: TraceNode, where: Where, finds: (text: string) => boolean): boolean {
  const { subject } = node;
  if (where === 'label') return subject.kind !== 'heading' && finds(node.name);
  const sample = subject.kind === 'step' ? subject.step.sample : subject.kind === 'sample' || subject.kind === 'transaction' ? subject.sample : null;
  const exchanges = subject.kind === 'step' ? (subject.step.exchanges ?? []) : [];
  if (!sample && exchanges.length === 0) return false;
  return (where === 'url' ? urls(sample, exchanges) : bodies(sample, exchanges)).some(finds);
}

/** Milliseconds after which a search lets the page react. */
const SLICE_MS = 12;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** The nodes that a filter leaves; none if it was abandoned. Large bodies are searched in slices, so that the page stays usable. */
export async function matching(nodes: TraceNode[], filter: Filter, isAbandoned: () => boolean): Promise<Set<TraceNode> | null> {
  const finds = filter.text === '' ? null : finder(filter.text);
  const found = new Set<TraceNode>();
  let until = performance.now() + SLICE_MS;
  for (const node of nodes) {
    if (performance.now() > until) {
      await pause();
      if (isAbandoned()) return null;
      until = performance.now() + SLICE_MS;
    }
    if (filter.onlyFailed && !isFailure(node) && node.status !== 'failed') continue;
    if (!finds || matches(node, filter.where, finds)) found.add(node);
  }
  return found;
}

/** The rows that are shown, in order: matches with what is above them, or what is not folded. */
export function shownRows(roots: TraceNode[], found: Set<TraceNode> | null): TraceNode[] {
  const rows: TraceNode[] = [];
  const kept = new Set<TraceNode>();
  for (const one of found ?? []) for (let at: TraceNode | null = one; at && !kept.has(at); at = at.parent) kept.add(at);
  const walk = (nodes: TraceNode[]): void => {
    for (const one of nodes) {
      if (found && !kept.has(one)) continue;
      rows.push(one);
      // Under a filter the tree is open as far as there are matches.
      if (found || one.isOpen) walk(one.children);
    }
  };
  walk(roots);
  return rows;
}
