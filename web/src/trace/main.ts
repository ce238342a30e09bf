// The page of `swell debug`: from a file, with the events in it, or served by the program, which then answers expressions.

import { request } from '../api';
import { bytesOf } from '../data';
import { h, setText } from '../dom';
import { count } from '../format';
import { findSecret } from '../secret';
import { header, showError } from '../shell';
import { detailsOf, type DetailsHost } from './details';
import { readEvents } from './events';
import { isEmpty, matching, shownRows, type Filter, type Where } from './filter';
import { treeList } from './list';
import { oneLine } from './text';
import { buildTrace, isFailure, type Trace, type TraceNode } from './tree';

const STATUS: Record<string, [string, string]> = {
  passed: ['good', 'passed'], failed: ['bad', 'FAILED'], stopped: ['bad', 'no response'], not_run: ['doubtful', 'NOT RUN'], skipped: ['doubtful', 'did not run'], no_sample: ['', 'no sample'],
};

class TracePage {
  private readonly filter: Filter = { text: '', where: 'label', onlyFailed: false };
  private rows: TraceNode[] = [];
  private found: Set<TraceNode> | null = null;
  private selected: TraceNode;
  private search = 0;
  /** Name of the tab that the reader chose last. */
  private tab = '';
  private readonly list = treeList((node) => this.choose(node, true), (node) => this.fold(node));
  private readonly details = h('section', { class: 'details', 'aria-label': 'Details' });
  private readonly count = h('span', { class: 'soft', role: 'status' });
  private readonly panes = h('main', { class: 'panes' });
  private readonly input = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the steps', oninput: () => this.refilter(120) });
  private readonly where = h('select', { 'aria-label': 'Where to look', onchange: () => this.refilter(0) },
    h('option', { value: 'label' }, 'in labels'), h('option', { value: 'url' }, 'in URLs'), h('option', { value: 'body' }, 'in bodies and headers'));
  private readonly onlyFailed = h('input', { type: 'checkbox', onchange: () => this.refilter(0) });
  private readonly host: DetailsHost;

  constructor(private readonly trace: Trace, isServed: boolean) {
    const isKept = trace.start.kept_failures === true;
    this.host = { isServed: isServed && !isKept, isKept, plan: trace.start.plan, goTo: (step) => this.goTo(step) };
    this.selected = trace.steps.get(wantedStep) ?? trace.nodes.find(isFailure) ?? trace.roots[0] as TraceNode;
  }

  show(): void {
    const { start } = this.trace;
    const failures = this.trace.nodes.filter(isFailure).length;
    const next = h('button', { type: 'button', disabled: failures === 0, onclick: () => this.nextFailure(1) }, 'Next failure');
    const tools = h('div', { class: 'filter', role: 'search' }, this.input, this.where, h('label', { class: 'check' }, this.onlyFailed, 'Failed only'), next, this.count);
    const keys = h('p', { class: 'keys soft' }, ...['j', 'k', 'n', '/'].flatMap((key, at) => [h('kbd', {}, key), ` ${['next', 'previous', 'next failure', 'filter'][at]}  `]));
    const back = h('button', { type: 'button', class: 'back', onclick: () => this.panes.classList.remove('shows-details') }, '‹ Steps');
    this.panes.append(h('div', { class: 'left' }, tools, this.list.element, keys), h('div', { class: 'right' }, back, this.details));
    document.title = `${oneLine(start.name)} – ${this.host.isKept ? 'kept failures' : 'swell debug'}`;
    document.addEventListener('keydown', (event) => this.key(event));
    const root = document.getElementById('app') ?? document.body;
    root.replaceChildren(header(oneLine(start.name) || 'swell debug', this.totals(failures)), this.panes);
    this.refresh();
    // A link leads to the details, also where the list leaves no room for them.
    this.choose(this.selected, this.trace.steps.has(wantedStep));
  }

  private totals(failures: number): HTMLElement {
    const { end } = this.trace;
    const steps = this.trace.steps.size;
    const never = end?.never_ran.length ?? 0;
    const badge = (tone: string, text: string) => h('span', { class: `badge ${tone}` }, text);
    return h('div', { class: 'totals' }, badge('', steps === 1 ? '1 step' : `${count(steps)} steps`), failures > 0 ? badge('bad', `${count(failures)} failed`) : badge('good', 'none failed'),
      never > 0 ? badge('doubtful', never === 1 ? '1 sampler never ran' : `${never} samplers never ran`) : null);
  }

  private refresh(): void {
    this.rows = shownRows(this.trace.roots, this.found);
    this.list.show(this.rows);
    this.list.select(this.selected, true);
    setText(this.count, this.found ? `${count(this.found.size)} found` : '');
  }

  private refilter(afterMs: number): void {
    this.search += 1;
    const search = this.search;
    setTimeout(() => {
      if (search !== this.search) return;
      Object.assign(this.filter, { text: this.input.value.trim(), where: this.where.value as Where, onlyFailed: this.onlyFailed.checked });
      if (isEmpty(this.filter)) {
        this.found = null;
        return this.refresh();
      }
      matching(this.trace.nodes, this.filter, () => search !== this.search).then((found) => {
        if (!found) return;
        this.found = found;
        this.refresh();
      }, showError);
    }, afterMs);
  }

  private fold(node: TraceNode): void {
    if (node.children.length === 0) return;
    node.isOpen = !node.isOpen;
    // What was below a folded row is not there any more.
    for (let at: TraceNode | null = this.selected; at; at = at.parent) if (at === node && !node.isOpen) this.selected = node;
    this.refresh();
    this.choose(this.selected, false);
  }

  private choose(node: TraceNode, opens: boolean): void {
    this.selected = node;
    if (opens) this.panes.classList.add('shows-details');
    this.list.select(node, true);
    this.draw();
  }

  /** Shows a row that a fold or the filter may hide. */
  private goToNode(node: TraceNode): void {
    for (let above = node.parent; above; above = above.parent) above.isOpen = true;
    if (this.found && !this.rows.includes(node)) {
      this.input.value = '';
      this.onlyFailed.checked = false;
      this.found = null;
    }
    this.selected = node;
    this.refresh();
    this.choose(node, true);
  }

  private goTo(step: number): void {
    const node = this.trace.steps.get(step);
    if (node) this.goToNode(node);
  }

  private nextFailure(direction: 1 | -1): void {
    const failures = this.trace.nodes.filter((node) => isFailure(node) && (!this.found || this.found.has(node)));
    const ordered = direction === 1 ? failures : failures.reverse();
    const next = ordered.find((node) => (node.id - this.selected.id) * direction > 0) ?? ordered[0];
    if (next) this.goToNode(next);
  }

  private move(by: number): void {
    const at = this.rows.indexOf(this.selected);
    const next = this.rows[at < 0 ? 0 : Math.max(0, Math.min(this.rows.length - 1, at + by))];
    if (next) this.choose(next, false);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches('input, select, textarea')) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    const isInTree = target.closest('[role=tree]') !== null;
    if (!this.act(event.key, isInTree)) return;
    event.preventDefault();
  }

  /** Does what a key says; false if it says nothing. */
  private act(key: string, isInTree: boolean): boolean {
    const node = this.selected;
    switch (key) {
      case 'j': this.move(1); return true;
      case 'k': this.move(-1); return true;
      case 'n': this.nextFailure(1); return true;
      case 'N': case 'p': this.nextFailure(-1); return true;
      case '/': this.input.focus(); return true;
      default:
    }
    if (/^[1-9]$/.test(key)) {
      const tab = this.details.querySelectorAll<HTMLElement>('[role=tab]')[Number(key) - 1];
      tab?.click();
      return tab !== undefined;
    }
    if (!isInTree) return false;
    switch (key) {
      case 'ArrowDown': this.move(1); return true;
      case 'ArrowUp': this.move(-1); return true;
      case 'PageDown': this.move(15); return true;
      case 'PageUp': this.move(-15); return true;
      case 'Home': this.move(-this.rows.length); return true;
      case 'End': this.move(this.rows.length); return true;
      case 'ArrowRight': if (node.isOpen || node.children.length === 0) this.move(1); else this.fold(node); return true;
      case 'ArrowLeft': if (node.isOpen && node.children.length > 0) this.fold(node); else if (node.parent) this.choose(node.parent, false); return true;
      case 'Enter': this.choose(node, true); return true;
      default: return false;
    }
  }

  private draw(): void {
    const { title, status, facts, tabs } = detailsOf(this.selected, this.host);
    const [tone, words] = STATUS[status] ?? ['', ''];
    const panel = h('div', { class: 'panel', role: 'tabpanel', id: 'panel', 'aria-labelledby': 'tab-0' });
    const open = (at: number, isChosen: boolean) => {
      const tab = tabs[at];
      if (!tab) return;
      if (isChosen) this.tab = tab.name;
      buttons.forEach((button, place) => {
        button.setAttribute('aria-selected', place === at ? 'true' : 'false');
        button.tabIndex = place === at ? 0 : -1;
      });
      panel.setAttribute('aria-labelledby', `tab-${at}`);
      panel.replaceChildren(...tab.make());
    };
    const buttons = tabs.map((tab, at) => h('button', { type: 'button', role: 'tab', id: `tab-${at}`, 'aria-controls': 'panel', onclick: () => open(at, true) },
      tab.name, tab.count ? h('span', { class: `badge small ${tab.isBad ? 'bad' : ''}` }, tab.count) : null));
    const bar = h('div', {
      class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the step', onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[(event as KeyboardEvent).key];
        const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
        if (step === undefined || at < 0) return;
        const next = (at + step + buttons.length) % buttons.length;
        open(next, true);
        buttons[next]?.focus();
      },
    }, ...buttons);
    const badge = words ? h('span', { class: `badge ${tone}` }, words) : null;
    this.details.replaceChildren(h('div', { class: 'about' }, h('h2', {}, oneLine(title, 1_000) || '(no name)', badge ? ' ' : null, badge), ...facts), bar, panel);
    // Failures open where they are explained, unless the reader looks at something else.
    const wanted = tabs.findIndex((tab) => tab.name === this.tab);
    const failed = tabs.findIndex((tab) => tab.name === 'Checks' && tab.isBad);
    open(wanted >= 0 ? wanted : Math.max(0, failed), false);
  }
}

/** The step that a link leads to. */
const wantedStep = Number(new URLSearchParams(location.hash.slice(1)).get('step') ?? NaN);

async function packedEvents(): Promise<{ bytes: Uint8Array<ArrayBuffer>; isServed: boolean }> {
  const held = document.getElementById('data');
  if (held) {
    const bytes = bytesOf(held.textContent ?? '');
    // The text is not needed any more, and may be large.
    held.remove();
    return { bytes, isServed: false };
  }
  await findSecret();
  const response = await request('GET', `/api/trace${location.search}`);
  return { bytes: new Uint8Array(await response.arrayBuffer()), isServed: true };
}

async function start(): Promise<void> {
  const { bytes, isServed } = await packedEvents();
  new TracePage(buildTrace(await readEvents(bytes)), isServed).show();
}

start().catch(showError);
