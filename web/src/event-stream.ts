// Server-sent events (HTML standard, 9.2) over `fetch`, because the browser's EventSource cannot send a header, and so no secret.

export interface StreamedEvent {
  kind: string;
  id: number;
  data: string;
}

/** Parses events from text cut at any place. Reads only the fields that the live page sends: `id`, `event`, `data`, `retry`, comments. */
export class EventParser {
  private rest = '';
  private kind = '';
  private id = 0;
  private data: string[] = [];
  /** Milliseconds until the next attempt after a lost connection. */
  retryMs = 1000;

  feed(text: string): StreamedEvent[] {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line));
  }

  /** The connection was lost: discards an incomplete event. */
  reset(): void {
    [this.rest, this.kind, this.data] = ['', '', []];
  }

  private line(line: string): StreamedEvent[] {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.kind = value;
    if (field === 'data') this.data.push(value);
    if (field === 'id') this.id = Number(value);
    if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return [];
  }

  private dispatch(): StreamedEvent[] {
    const event = { kind: this.kind || 'message', id: this.id, data: this.data.join('\n') };
    const isEmpty = this.data.length === 0;
    [this.kind, this.data] = ['', []];
    return isEmpty ? [] : [event];
  }
}

export interface StreamListener {
  event(event: StreamedEvent): void;
  /** The connection was lost; `final`: there will be no further attempt. */
  lost(final: boolean): void;
}

/** Reads events until closed, and reconnects after the last event received. */
export class EventStream {
  private readonly parser = new EventParser();
  private readonly ended = new AbortController();

  /** `headers` is called before each connection. */
  constructor(private readonly path: string, private last: number, private readonly headers: () => Record<string, string>, private readonly listener: StreamListener) {
    void this.run();
  }

  close(): void {
    this.ended.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const goesOn = await this.connect().catch(() => true);
      if (signal.aborted) return;
      this.parser.reset();
      this.listener.lost(!goesOn);
      if (!goesOn) return;
      await new Promise((resolve) => setTimeout(resolve, this.parser.retryMs));
    }
  }

  /** Opens one connection; returns false if the server refuses it. */
  private async connect(): Promise<boolean> {
    const { signal } = this.ended;
    const response = await fetch(`${this.path}?since=${this.last}`, { headers: this.headers(), signal, cache: 'no-store' });
    if (!response.ok || !response.body) return false;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return true;
      for (const event of this.parser.feed(decoder.decode(value, { stream: true }))) {
        this.last = event.id;
        this.listener.event(event);
        if (signal.aborted) return true;
      }
    }
  }
}
