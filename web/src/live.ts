// The live view: first the history, then one tick per second.

import { ask } from './api';
import { Control } from './control';
import { checked } from './data';
import type { PageDocument, RunEvent } from './document';
import { h, setText } from './dom';
import { count, duration, figure, span } from './format';
import type { Page } from './run';
import { findSecret } from './secret';
import { SharedEvents, type Kind } from './shared-events';
import { apply, type Status, type Tick } from './ticks';

type Snapshot = PageDocument & { last_id: number; status: Status; may_change?: boolean };

async function snapshot(): Promise<Snapshot> {
  const found = await ask<Snapshot>('GET', '/api/snapshot');
  checked(found);
  found.so_far = found.status.verdict_so_far;
  return found;
}

/** Interval of screen reader announcements. */
const SPOKEN_EVERY = 10;

class LiveView {
  private readonly dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  private readonly state = h('span', {});
  private readonly spoken = h('span', { class: 'for-readers', role: 'status' });
  /** Null if this reader may not change the run. */
  private readonly control: Control | null;
  private ticks = 0;
  private stale = false;

  constructor(private readonly page: Page, first: Snapshot) {
    page.liveBar.append(this.dot, this.state, this.spoken);
    this.control = first.may_change === false ? null : new Control(page.control);
    if (!this.control) page.liveBar.append(h('span', { class: 'soft' }, 'Read-only: you cannot change this run.'));
    this.control?.show(first.status);
    this.showState(first.status, true);
  }

  listen(since: number): void {
    const { made_by, start_ms, study } = this.page.store.doc;
    // A study is one stream, whichever of its trials a tab saw first.
    new SharedEvents(`${made_by} ${study?.start_ms ?? start_ms}`, since, {
      event: (kind, data) => this.event(kind, data),
      ask: snapshot,
      replace: (found) => this.replace(found),
      lost: () => this.showState(null, false),
    });
    // A hidden page is not drawn until it is visible again.
    document.addEventListener('visibilitychange', () => {
      if (this.stale) this.tell();
    });
  }

  private event(kind: Kind, data: string): void {
    if (kind === 'tick') this.tick(JSON.parse(data) as Tick);
    if (kind === 'end') this.replace(JSON.parse(data) as Snapshot);
    if (kind === 'journal') {
      this.page.store.doc.events.push(JSON.parse(data) as RunEvent);
      this.tell();
    }
  }

  private tick(tick: Tick): void {
    this.ticks += 1;
    document.documentElement.dataset['ticks'] = String(this.ticks);
    this.control?.show(tick.status);
    this.showState(tick.status, true);
    if (apply(this.page.store.doc, tick)) this.tell();
    else void this.again();
  }

  private tell(): void {
    this.stale = document.hidden;
    if (!document.hidden) this.page.store.tell('data');
  }

  /** Requests the complete state again. */
  private async again(): Promise<void> {
    try {
      this.replace(await snapshot());
    } catch {
      this.showState(null, false);
    }
  }

  private replace(found: Snapshot): void {
    this.page.store.replace(found);
    this.control?.show(found.status);
    this.showState(found.status, true);
    this.tell();
  }

  private showState(status: Status | null, connected: boolean): void {
    const { doc } = this.page.store;
    const isOver = !doc.live;
    this.dot.className = `dot ${isOver ? '' : connected ? 'on' : 'lost'}`;
    const what = isOver ? 'Finished' : !connected ? 'Disconnected' : status?.is_paused ? 'Paused' : status?.phase ? 'Running' : doc.study?.trials.length ? 'Between trials' : 'Starting';
    setText(this.state, `${what} ${span(Math.round(doc.duration_s))}`);
    if (status && this.ticks % SPOKEN_EVERY === 0) {
      const { total } = doc;
      setText(this.spoken, `${what}: ${count(status.users)} users, ${figure(total.per_s)} samples a second, p95 ${duration(total.percentiles_ms[2])}, ${count(status.errors)} failed`);
    }
  }
}

/** Shows a run in progress. */
export async function startLive(show: (doc: PageDocument) => Page): Promise<void> {
  await findSecret();
  const first = await snapshot();
  const view = new LiveView(show(first), first);
  if (!first.status.is_over) view.listen(first.last_id);
}
