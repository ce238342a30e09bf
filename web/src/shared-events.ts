// One event stream for all tabs of a run: HTTP/1.1 allows six connections per host, and each stream would use one of them. The tab that
// holds the lock reads the stream and forwards it to the others. When it is closed, the next tab takes the lock and continues after the
// last event that it received. A tab that is frozen or at a breakpoint keeps the lock but forwards nothing, so another tab steals the lock.
// Events that a tab misses between its snapshot and its first event show as a gap in the numbers.

import { EventStream } from './event-stream';
import { authorization } from './secret';

const KINDS = ['tick', 'journal', 'reset', 'end'] as const;
export type Kind = (typeof KINDS)[number];

/** A message between tabs: an event with its number, or the loss of the stream. */
type Told = { kind: Kind; id: number; data: string } | { kind: 'lost' };

export interface Listener<All extends { last_id: number }> {
  event(kind: Kind, data: string): void;
  /** Events are missing: requests the complete state again. */
  ask(): Promise<All>;
  /** The complete state, after `ask`; not called if the run has ended in the meantime. */
  replace(all: All): void;
  lost(): void;
}

/** Number of silent checks, a second apart, after which the tab with the stream counts as frozen. */
const SILENT_LOOKS = 5;

export class SharedEvents<All extends { last_id: number }> {
  private readonly channel: BroadcastChannel;
  /** Leaves the queue for the lock. */
  private turn = new AbortController();
  private source: EventStream | null = null;
  private silent = 0;
  private over = false;
  private asking = false;

  /** `run` distinguishes runs at the same address; `last` is the number of the last known event. */
  constructor(private readonly run: string, private last: number, private readonly listener: Listener<All>) {
    this.channel = new BroadcastChannel(run);
    this.channel.onmessage = (message: MessageEvent<Told>) => this.take(message.data);
    // Without locks, as in an insecure context, each tab has a separate stream.
    if (navigator.locks) this.share();
    else void this.lead();
  }

  private share(): void {
    this.queue();
    const looks = setInterval(() => {
      if (this.over) clearInterval(looks);
      else this.look();
    }, 1000);
  }

  /** Opens the stream as soon as no other tab has it. */
  private queue(): void {
    this.turn = new AbortController();
    this.hold({ signal: this.turn.signal });
  }

  private hold(options: LockOptions): void {
    navigator.locks.request(this.run, options, () => this.lead()).catch(() => {
      if (options.signal?.aborted) return;
      // Another tab stole the lock, because this one forwarded nothing for too long.
      this.source?.close();
      this.source = null;
      if (!this.over) this.queue();
    });
  }

  /** Counts checks instead of time, because this tab may have been frozen itself. */
  private look(): void {
    this.silent += 1;
    if (this.silent < SILENT_LOOKS || this.source) return;
    this.silent = 0;
    this.turn.abort();
    this.hold({ steal: true });
  }

  /** Holds the stream until it ends for good; then the lock goes to the next tab. */
  private lead(): Promise<void> {
    return new Promise((release) => {
      if (this.over) return release();
      const tell = (told: Told): void => {
        this.channel.postMessage(told);
        this.take(told);
      };
      this.source = new EventStream('/api/events', this.last, authorization, {
        event: ({ kind, id, data }) => {
          const known = KINDS.find((one) => one === kind);
          if (known) tell({ kind: known, id, data });
          if (this.over) release();
        },
        lost: (final) => {
          tell({ kind: 'lost' });
          if (final) release();
        },
      });
    });
  }

  private take(told: Told): void {
    if (this.over) return;
    this.silent = 0;
    if (told.kind === 'lost') return this.listener.lost();
    if (told.kind === 'end') {
      this.over = true;
      this.source?.close();
      this.channel.close();
      return this.listener.event('end', told.data);
    }
    if (this.asking) return;
    if (told.kind === 'reset' || told.id > this.last + 1) return void this.ask();
    if (told.id <= this.last) return;
    this.last = told.id;
    this.listener.event(told.kind, told.data);
  }

  private async ask(): Promise<void> {
    this.asking = true;
    try {
      const all = await this.listener.ask();
      if (this.over) return;
      this.last = all.last_id;
      this.listener.replace(all);
    } catch {
      this.listener.lost();
    } finally {
      this.asking = false;
    }
  }
}
