// The events of `swell debug`, as docs/reference/trace.schema.json describes them, and how a page reads them.

export interface Content { size: number; text?: string; base64?: string; cut?: boolean }
export interface ElementRef { class: string; name: string; path: string; line: number }
export interface VariableChange { name: string; before: string | null; after: string | null }
export interface Extraction {
  language: string; expression: string; subject: string; variable: string; match_number: number; matches: number; values: string[];
  taken: string | null; default?: string; error?: string; nearby?: string[];
}
export interface Check {
  passed: boolean; error?: boolean; message: string | null; field?: string; relation?: string; wanted?: string; got?: string; differs_at?: number;
}
/** A line that was logged; its level is `output` if it was printed. */
export interface LogLine { level: string; text: string }
export interface Action {
  element: ElementRef; role: string; variables?: VariableChange[]; properties?: VariableChange[]; extractions?: Extraction[]; checks?: Check[];
  timer?: { wait_ms: number | null; skipped: boolean }; data?: { file: string; record: number | null };
  output?: LogLine[]; error?: string;
}
export interface Timing {
  start_ms: number; queue_ms: number; connect_ms: number | null; tls_ms: number | null; first_byte_ms: number | null; elapsed_ms: number;
}
export interface Connection { number: number; reused: boolean; address: string; local_address: string; tls: string | null; proxy: string | null }
export interface RefusedCookie { name: string; reason: string }
export interface Cookies {
  managed: boolean; sent: string | null; not_sent?: RefusedCookie[]; stored?: { name: string; value: string; domain: string; path: string }[]; refused?: RefusedCookie[];
}
export interface Exchange {
  method: string; url: string; connection: Connection | null; request: { size: number; head: Content; body: Content } | null;
  response: { size: number; status: number; head: Content; encoding: string } | null; error: string | null; cookies: Cookies; cache: string | null;
}
export interface Sample {
  label: string; code: string; message: string; success: boolean; url: string | null; timing: Timing; received_bytes: number; sent_bytes: number;
  content_type: string; charset: string; response_headers: string; sent?: string; body: Content; exchanges?: Exchange[]; children?: Sample[];
}
export interface ReadVariable { name: string; value: string | null; set_by_step: number | null; set_by?: string; is_default?: boolean }
export interface Hint { code: string; text: string; element?: ElementRef }
export interface Step {
  number: number; user: string; group: string; iteration: number; element: ElementRef; label: string; controllers: string[]; outcome: string; reason: string;
  written?: { property: string; text: string }[]; reads?: ReadVariable[]; actions: Action[]; sample: Sample | null; exchanges?: Exchange[];
  variables: [string, string][]; hints?: Hint[];
}
export interface Start {
  schema: string; version: string; plan: string; name: string;
  settings: { iterations: number; keeps_timers: boolean; group: string | null; until: string | null; shows_secrets: boolean };
  groups: { element: ElementRef; phase: string }[]; not_run: { element: ElementRef; reason: string }[];
  /** The events are failures that a load run kept, each as an iteration. */
  kept_failures?: boolean;
}
export interface Decision {
  user: string; group: string; iteration: number; element: ElementRef; kind: string; verdict: string; written: string | null; evaluated: string | null;
  reads?: ReadVariable[]; text: string;
}
export interface End {
  reason: string; steps: number; samples: number; failed: number; never_ran: { element: ElementRef; controller: ElementRef | null; reason: string }[];
  hints?: Hint[]; left_out_bytes: number;
}
export type TraceEvent = { seq: number; at_ms: number } & (
  | ({ event: 'start' } & Start)
  | { event: 'iteration'; user: string; group: string; iteration: number; variables: [string, string][] }
  | { event: 'data'; user: string; group: string; action: Action }
  | ({ event: 'decision' } & Decision)
  | ({ event: 'step' } & Step)
  | { event: 'transaction'; user: string; group: string; steps: number[]; actions: Action[]; sample: Sample }
  | { event: 'log'; level: string; text: string }
  | { event: 'user_end'; user: string; group: string; iterations: number }
  | ({ event: 'end' } & End)
);

const SCHEMA = 'swell.trace/1';

/** The events of packed lines of JSON. They are read one at a time: a trace may be larger than the longest text of a browser. */
export async function readEvents(packed: Uint8Array<ArrayBuffer>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream());
  const reader = stream.getReader();
  let parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    let from = 0;
    for (let end = value.indexOf('\n'); end >= 0; end = value.indexOf('\n', from)) {
      parts.push(value.slice(from, end));
      events.push(JSON.parse(parts.join('')) as TraceEvent);
      parts = [];
      from = end + 1;
    }
    parts.push(value.slice(from));
  }
  const first = events[0];
  const schema = first?.event === 'start' ? first.schema : undefined;
  if (schema !== SCHEMA) throw new Error(`unsupported trace schema ${String(schema)} (this page reads ${SCHEMA})`);
  return events;
}
