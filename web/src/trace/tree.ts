// The tree of a trace: thread groups, users with their iterations, controllers, steps and what is below them.

import type { Action, Decision, End, Sample, Start, Step, TraceEvent } from './events';

export type Status = 'passed' | 'failed' | 'skipped' | 'not_run' | '';

/** What a row stands for. */
export type Subject =
  | { kind: 'summary'; start: Start; end: End | null }
  | { kind: 'group'; name: string; phase: string }
  | { kind: 'iteration'; user: string; iteration: number; variables: [string, string][] }
  | { kind: 'controller'; name: string; decisions: Decision[] }
  | { kind: 'decision'; decision: Decision }
  | { kind: 'step'; step: Step }
  | { kind: 'sample'; sample: Sample; step: Step | null; place: number[] }
  | { kind: 'transaction'; sample: Sample; actions: Action[]; steps: number[] }
  | { kind: 'data'; action: Action }
  | { kind: 'log'; level: string; text: string }
  | { kind: 'missing'; name: string; reason: string; path: string; line: number }
  | { kind: 'heading' };

export interface TraceNode {
  id: number;
  subject: Subject;
  name: string;
  detail: string;
  status: Status;
  parent: TraceNode | null;
  children: TraceNode[];
  isOpen: boolean;
  /** Failed steps below it. */
  failed: number;
}

export interface Trace {
  roots: TraceNode[];
  /** All nodes in the order of the tree. */
  nodes: TraceNode[];
  /** Nodes of steps by their numbers. */
  steps: Map<number, TraceNode>;
  start: Start;
  end: End | null;
}

const STATUS: Record<string, Status> = { passed: 'passed', failed: 'failed', not_run: 'not_run', no_sample: '', stopped: 'failed' };

const KINDS: Record<string, string> = {
  if: 'If', while: 'While', loop: 'Loop', for_each: 'ForEach', switch: 'Switch', random: 'Random', throughput: 'Throughput',
  once_only: 'Once only', runtime: 'Runtime', interleave: 'Interleave', weighted: 'Weighted', random_order: 'Random order', critical_section: 'Critical section',
};

/** Name of a kind of controller. */
export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

function node(subject: Subject, name: string, detail = '', status: Status = ''): TraceNode {
  return { id: 0, subject, name, detail, status, parent: null, children: [], isOpen: true, failed: 0 };
}

function put(parent: TraceNode, child: TraceNode): TraceNode {
  child.parent = parent;
  parent.children.push(child);
  return child;
}

/** The last iteration of a user, and its controllers that are open, outermost first. */
interface Place {
  node: TraceNode;
  open: TraceNode[];
}

class Builder {
  private readonly groups = new Map<string, TraceNode>();
  private readonly places = new Map<string, Place>();
  private last: Place | null = null;
  readonly roots: TraceNode[] = [];
  readonly steps = new Map<number, TraceNode>();
  start: Start | null = null;
  end: End | null = null;

  add(event: TraceEvent): void {
    switch (event.event) {
      case 'start': this.start = event; break;
      case 'iteration': this.iteration(event); break;
      case 'data': put(this.place(event.user, event.group).node, dataNode(event.action)); break;
      case 'decision': this.decision(event); break;
      case 'step': this.step(event); break;
      case 'transaction': this.transaction(event); break;
      case 'log': this.log(event.level, event.text); break;
      case 'end': this.end = event; break;
      default:
    }
  }

  private group(name: string): TraceNode {
    let group = this.groups.get(name);
    if (!group) {
      const planned = this.start?.groups.find((one) => one.element.name === name);
      const phase = planned?.phase ?? 'main';
      group = node({ kind: 'group', name, phase }, name, phase === 'set_up' ? 'set-up' : phase === 'tear_down' ? 'tear-down' : '');
      this.groups.set(name, group);
      this.roots.push(group);
    }
    return group;
  }

  private iteration(event: { user: string; group: string; iteration: number; variables: [string, string][] }): void {
    const { user, iteration, variables } = event;
    const made = put(this.group(event.group), node({ kind: 'iteration', user, iteration, variables }, `${user}, iteration ${iteration}`));
    this.last = { node: made, open: [] };
    this.places.set(user, this.last);
  }

  private place(user: string, group: string): Place {
    const known = this.places.get(user);
    if (known) return (this.last = known);
    this.iteration({ user, group, iteration: 0, variables: [] });
    return this.place(user, group);
  }

  /** The node of the innermost of these controllers; those that are not open yet are made. */
  private below(place: Place, controllers: string[]): TraceNode {
    let kept = 0;
    while (kept < controllers.length && place.open[kept]?.name === controllers[kept]) kept += 1;
    place.open.length = kept;
    let parent = place.open[kept - 1] ?? place.node;
    for (const name of controllers.slice(kept)) {
      parent = put(parent, node({ kind: 'controller', name, decisions: [] }, name));
      place.open.push(parent);
    }
    return parent;
  }

  private decision(decision: Decision): void {
    const place = this.place(decision.user, decision.group);
    const above = controllersOf(decision);
    const open = place.open[above.length];
    const isSame = open?.name === decision.element.name && place.open.slice(0, above.length).every((one, at) => one.name === above[at]);
    if (decision.verdict === 'left') {
      if (isSame && open.subject.kind === 'controller') {
        open.subject.decisions.push(decision);
        place.open.length = above.length;
        return;
      }
    }
    const parent = this.below(place, above);
    const detail = decisionText(decision);
    if (decision.verdict === 'skipped' || decision.verdict === 'left') {
      put(parent, node({ kind: 'decision', decision }, decision.element.name, detail, decision.verdict === 'skipped' ? 'skipped' : ''));
      return;
    }
    const made = put(parent, node({ kind: 'controller', name: decision.element.name, decisions: [decision] }, decision.element.name, detail));
    place.open.push(made);
  }

  private step(step: Step): void {
    const place = this.place(step.user, step.group);
    const made = put(this.below(place, step.controllers), node({ kind: 'step', step }, step.label, stepDetail(step), STATUS[step.outcome] ?? ''));
    made.isOpen = false;
    this.steps.set(step.number, made);
    addSamples(made, step.sample, step, []);
  }

  private transaction(event: { user: string; group: string; steps: number[]; actions: Action[]; sample: Sample }): void {
    const { sample, actions, steps } = event;
    const place = this.place(event.user, event.group);
    const parent = this.steps.get(steps[0] ?? -1)?.parent ?? place.node;
    const above = parent.name === sample.label && parent.parent ? parent.parent : parent;
    put(above, node({ kind: 'transaction', sample, actions, steps }, sample.label, `transaction, ${Math.round(sample.timing.elapsed_ms)} ms`, sample.success ? 'passed' : 'failed'));
  }

  private log(level: string, text: string): void {
    const made = node({ kind: 'log', level, text }, text, level, '');
    // A failure that is missing belongs to no other one.
    const isAlone = this.start?.kept_failures && level === 'warn';
    if (this.last && !isAlone) put(this.last.open.at(-1) ?? this.last.node, made);
    else this.roots.push(made);
  }
}

function dataNode(action: Action): TraceNode {
  const { data } = action;
  const detail = data ? (data.record === null ? `end of ${data.file}` : `record ${data.record} of ${data.file}`) : '';
  return node({ kind: 'data', action }, action.element.name, detail, action.error ? 'failed' : '');
}

/** The controllers above a controller, by its path: plan, thread group, controllers, itself. */
function controllersOf(decision: Decision): string[] {
  const { path, name } = decision.element;
  const above = path.endsWith(` > ${name}`) ? path.slice(0, -name.length - 3) : path;
  const at = above.indexOf(` > ${decision.group}`);
  const rest = at < 0 ? '' : above.slice(at + decision.group.length + 3);
  return rest.startsWith(' > ') ? rest.slice(3).split(' > ') : [];
}

/** The result of a decision in a few words. */
export function decisionText(decision: Decision): string {
  const kind = kindName(decision.kind);
  return decision.text ? `${kind}: ${decision.text}` : `${kind}: ${decision.verdict}`;
}

function stepDetail(step: Step): string {
  const { sample } = step;
  if (!sample) return step.outcome === 'not_run' ? 'NOT RUN' : step.outcome === 'no_sample' ? 'no sample' : 'no response';
  return sampleDetail(sample);
}

/** Code and time of a sample; the code of one without a response is a sentence. */
function sampleDetail({ code, timing }: Sample): string {
  return `${code.length > 12 ? 'no response' : code} · ${Math.round(timing.elapsed_ms)} ms`;
}

function addSamples(parent: TraceNode, sample: Sample | null, step: Step | null, place: number[]): void {
  (sample?.children ?? []).forEach((child, at) => {
    const below = [...place, at];
    const made = put(parent, node({ kind: 'sample', sample: child, step, place: below }, child.label, sampleDetail(child), child.success ? 'passed' : 'failed'));
    made.isOpen = false;
    addSamples(made, child, step, below);
  });
}

function missingNodes(start: Start, end: End | null): TraceNode[] {
  const all: TraceNode[] = [];
  const heading = (name: string, items: { name: string; reason: string; path: string; line: number }[]) => {
    if (items.length === 0) return;
    const parent = node({ kind: 'heading' }, name, String(items.length), 'skipped');
    for (const item of items) put(parent, node({ kind: 'missing', ...item }, item.name, '', 'skipped'));
    all.push(parent);
  };
  heading('Samplers that never ran', (end?.never_ran ?? []).map(({ element, reason }) => ({ ...element, reason })));
  heading('Elements that cannot run here', start.not_run.map(({ element, reason }) => ({ ...element, reason })));
  return all;
}

function finish(nodes: TraceNode[], into: TraceNode[]): number {
  let failed = 0;
  for (const one of nodes) {
    one.id = into.length;
    into.push(one);
    one.failed = finish(one.children, into);
    failed += one.failed + (isFailure(one) ? 1 : 0);
  }
  return failed;
}

/** A step that did not give a good sample. */
export function isFailure(one: TraceNode): boolean {
  return one.subject.kind === 'step' && (one.status === 'failed' || one.status === 'not_run');
}

/** Puts the events of a trace together. */
export function buildTrace(events: TraceEvent[]): Trace {
  const builder = new Builder();
  for (const event of events) builder.add(event);
  const { start, end, steps } = builder;
  if (!start) throw new Error('the trace has no beginning');
  const summary = node({ kind: 'summary', start, end }, 'Summary');
  const roots = [summary, ...builder.roots, ...missingNodes(start, end)];
  const nodes: TraceNode[] = [];
  finish(roots, nodes);
  return { roots, nodes, steps, start, end };
}
