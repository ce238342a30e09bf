// One stream of events for all tabs of a run. HTTP/1.1 has six connections a host, and each stream would take one of them.
//
// The tab that holds the lock has the stream and tells the others; when it is closed, the next one takes the lock and goes on behind the
// last event that it saw. One that is frozen, or stands at a breakpoint, keeps the lock and tells nothing: another takes it away. What a
// tab misses between its snapshot and its first event shows as a gap in the numbers.

import { EventStream } from './event-stream';
import { authorization } from './secret';

const KINDS = ['tick', 'journal', 'reset', 'end'] as const;
export type Kind = (typeof KINDS)[number];

/** What tabs tell each other: an event with its number, or that the stream was lost. */
type Told = { kind: Kind; id: number; data: string } | { kind: 'lost' };

export interface Listener<All extends { last_id: number }> {
  event(kind: Kind, data: string): void;
  /** Events are missing: asks for everything again. */
  ask(): Promise<All>;
  /** All, after `ask`; not called when the run has ended meanwhile. */
  replace(all: All): void;
  lost(): void;
}

/** Looks, a second apart, at which nothing has been heard: the tab that has the stream does nothing. */
const SILENT_LOOKS = 5;

export class SharedEvents<All extends { last_id: number }> {
  private readonly channel: BroadcastChannel;
  /** Gives up this tab's place among those who wait for the lock. */
  private turn = new AbortController();
  private source: EventStream | null = null;
  private silent = 0;
  private over = false;
  private asking = false;

  /** `run` tells runs at the same address apart; `last`: the number of the last event that is known. */
  constructor(private readonly run: string, private last: number, private readonly listener: Listener<All>) {
    this.channel = new BroadcastChannel(run);
    this.channel.onmessage = (message: MessageEvent<Told>) => this.take(message.data);
    // Without a lock, as in a page that is not secure, each tab has a stream of its own.
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

  /** Has the stream as soon as no other tab has it. */
  private queue(): void {
    this.turn = new AbortController();
    this.hold({ signal: this.turn.signal });
  }

  private hold(options: LockOptions): void {
    navigator.locks.request(this.run, options, () => this.lead()).catch(() => {
      if (options.signal?.aborted) return;
      // Another tab took it away: this one told nothing for long.
      this.source?.close();
      this.source = null;
      if (!this.over) this.queue();
    });
  }

  /** Looks are counted, and not time: this tab may have been frozen itself. */
  private look(): void {
    this.silent += 1;
    if (this.silent < SILENT_LOOKS || this.source) return;
    this.silent = 0;
    this.turn.abort();
    this.hold({ steal: true });
  }

  /** Has the stream until it ends for good; the lock goes to the next tab then. */
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
