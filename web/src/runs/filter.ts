// Which runs are shown, and in which order. Pure.

import type { Run } from './data';

const COLUMNS = ['name', 'start_ms', 'samples', 'failed', 'p50_ms', 'p95_ms', 'p99_ms', 'per_s'] as const;

export type Column = (typeof COLUMNS)[number];

export interface Choice {
  /** Each part must occur in the name, plan, note or tags. */
  text: string;
  /** Empty: all. */
  subject: string;
  failedOnly: boolean;
  column: Column;
  isDown: boolean;
}

export const ALL: Choice = { text: '', subject: '', failedOnly: false, column: 'start_ms', isDown: true };

const searched = new WeakMap<Run, string>();

function textOf(run: Run): string {
  let text = searched.get(run);
  if (text === undefined) {
    const tags = run.tags.map(([name, value]) => `${name}=${value}`);
    text = [run.name, run.plan, run.kind, run.note, ...tags, run.is_baseline ? 'baseline' : ''].join('\n').toLowerCase();
    searched.set(run, text);
  }
  return text;
}

/** Whether something failed: a threshold, a sample, or the run itself. */
function hasFailed(run: Run): boolean {
  return (run.thresholds_failed ?? 0) > 0 || (run.errors ?? 0) > 0 || run.state === 'killed' || (run.exit ?? 0) !== 0;
}

function value(run: Run, column: Column): number | string {
  if (column === 'name') return run.name;
  if (column === 'failed') return run.samples ? (run.errors ?? 0) / run.samples : -1;
  return run[column] ?? -1;
}

export function chosen(runs: Run[], choice: Choice): Run[] {
  const parts = choice.text.toLowerCase().split(/\s+/).filter((part) => part !== '');
  const found = runs.filter((run) =>
    (choice.subject === '' || run.subject === choice.subject)
    && (!choice.failedOnly || hasFailed(run))
    && parts.every((part) => textOf(run).includes(part)));
  const { column, isDown } = choice;
  // The server sends the latest first.
  if (column === 'start_ms' && isDown) return found;
  const order = isDown ? -1 : 1;
  return found.sort((a, b) => {
    const [x, y] = [value(a, column), value(b, column)];
    return order * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y));
  });
}

/** All subjects, the one with the latest run first, each with its number of runs. */
export function subjects(runs: Run[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(run.subject, (counts.get(run.subject) ?? 0) + 1);
  return [...counts];
}

export function toQuery(choice: Choice): string {
  const query = new URLSearchParams();
  if (choice.text) query.set('q', choice.text);
  if (choice.subject) query.set('subject', choice.subject);
  if (choice.failedOnly) query.set('failed', '1');
  if (choice.column !== ALL.column || !choice.isDown) query.set('sort', `${choice.isDown ? '-' : ''}${choice.column}`);
  return query.toString();
}

export function ofQuery(text: string): Choice {
  const query = new URLSearchParams(text);
  const sort = query.get('sort') ?? `-${ALL.column}`;
  const column = COLUMNS.find((one) => one === sort.replace(/^-/, '')) ?? ALL.column;
  return { text: query.get('q') ?? '', subject: query.get('subject') ?? '', failedOnly: query.has('failed'), column, isDown: sort.startsWith('-') };
}
