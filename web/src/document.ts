// The data of a page, as the program writes it: schema `swell.page/2`. crates/report/src/page writes what is read here.

export const SCHEMA = 'swell.page/2';

/** Percentiles of a row, in this order. */
export const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999] as const;
export const QUANTILE_NAMES = ['p50', 'p90', 'p95', 'p99', 'p99.9'] as const;

export type Grade = 'VALID' | 'DEGRADED' | 'INVALID';

/** How well the figures describe the server: what the verdict says, in a word. */
export type Measurement = 'good' | 'doubtful' | 'unusable';

/** A stage of the samples: in how many it was measured, then mean, p50, p95, p99 and largest time in milliseconds. */
export type Stage = [number, number, number, number, number, number];

export interface Verdict {
  grade: Grade;
  /** Reasons from gates that are not VALID, the worst first. */
  reasons: { grade: Grade; text: string }[];
  /** Hints and notes. */
  advice: string[];
}

/** Figures of one label, or of all. Times in milliseconds, bytes in bytes a second. */
export interface Row {
  label: string;
  transaction: boolean;
  samples: number;
  errors: number;
  mean_ms: number;
  sd_ms: number;
  min_ms: number;
  max_ms: number;
  /** In the order of QUANTILES; null if there are too few samples. */
  percentiles_ms: (number | null)[];
  /** Their 95 % confidence intervals; null if there is none. */
  intervals_ms: ([number, number] | null)[];
  per_s: number;
  received_per_s: number;
  sent_per_s: number;
  apdex: number | null;
  /** Samples by response code, good and failed; empty of a transaction. */
  codes: [string, number][];
  /** Failed samples by kind. */
  failures: [string, number][];
  /** Start to connection, the TLS handshake in it, start to first byte; null where none was measured. */
  stages: [Stage | null, Stage | null, Stage | null];
}

/** A transaction of the plan with the labels of its parts, some of which may have no row. */
export interface Transaction {
  label: string;
  parts: { label: string; transaction: boolean }[];
}

/** Figures over time, one entry per point; null if unknown. Counts are for the whole point. */
export interface TimeColumns {
  seconds: number[];
  samples: number[];
  errors: number[];
  received: number[];
  sent: number[];
  connects: number[];
  users: (number | null)[];
  wanted_users: (number | null)[];
  wanted_per_s: (number | null)[];
  p50: (number | null)[];
  p90: (number | null)[];
  p95: (number | null)[];
  p99: (number | null)[];
  p999: (number | null)[];
  max: (number | null)[];
  start_delay: (number | null)[];
  read_delay: (number | null)[];
  /** Start to first byte, and start to connection where one was made. */
  first_byte_p50: (number | null)[];
  first_byte_p95: (number | null)[];
  connect_p50: (number | null)[];
  connect_p95: (number | null)[];
  worker_cpu: (number | null)[];
  machine_cpu: (number | null)[];
}

export type ColumnName = keyof TimeColumns;

/** One figure of the machine or a process under test. */
export interface TargetSeries {
  source: string;
  name: string;
  /** Title of its chart. */
  chart: string;
  unit: 'share' | 'count' | 'bytes' | 'per_s' | 'own';
  /** Whether it is the limit of another figure in its chart. */
  limit: boolean;
  /** One entry per point; null if it was not read. */
  values: (number | null)[];
}

export interface TimeSeries {
  width_ms: number;
  columns: TimeColumns;
  /** Failed samples by kind, one entry a point. */
  kinds: Record<string, number[]>;
  /** Samples by response code, one entry a point; rising codes. */
  codes: [string, number[]][];
  target: TargetSeries[];
}

/**
 * What one label did in one stretch of time: place of the stretch, samples, errors, bytes received, bytes sent, sum of times (µs),
 * largest time (µs), satisfied and tolerated samples (APDEX), then pairs of bucket and count; see histogram.ts. Buckets are
 * written as distances from the one before.
 */
export type Cell = number[];

export interface Cells {
  /** Start of the first range; not later than the first point. */
  start_ms: number;
  width_ms: number;
  total: Cell[];
  /** By index in `labels`; null for labels without cells, if there are too many labels. */
  labels: (Cell[] | null)[];
}

export interface ErrorRow {
  /** Which label, how many of its samples, with what. */
  lead: string;
  kind: string;
  count: number;
  expected: string;
  got: string;
  code: string;
  message: string;
  label: string;
  first_ms: number;
  /** Address of the page with a failure of this cause, and the steps before it. */
  kept?: string;
}

export interface Slow {
  at_ms: number;
  label: string;
  ms: number;
}

export interface RunEvent {
  at_ms: number;
  who: string;
  what: string;
}

/** Result of a threshold; `passed` is null until there is something to judge. */
export interface Rule {
  rule: string;
  passed: boolean | null;
  text: string;
  aborted: boolean;
  /** It judges times, and all samples that have them failed. */
  all_failed: boolean;
  /** The tile that has the figure of all samples that it judges; null for other rules. */
  figure: string | null;
  /** The limit of that figure, such as `< 800 ms`. */
  limit: string | null;
}

/** The run of the same plan before this one. */
export interface Earlier {
  name: string;
  start_ms: number;
  /** What changed since, in a sentence. */
  change: string;
  /** The command that compares both. */
  command: string;
}

/** Thresholds of the run, failed ones first; the list may be incomplete. */
export interface Thresholds {
  kept: number;
  broken: number;
  open: number;
  /** The result in a few words, such as `2 of 3 failed`; null without thresholds. */
  result: string | null;
  rules: Rule[];
}

/** The verdict if the run ended now. */
export interface VerdictSoFar {
  grade: Grade;
  measurement: Measurement;
  /** There are enough samples and seconds to judge by. */
  is_settled: boolean;
  reasons: string[];
}

/** A trial of a study with its load and settings. */
export interface Trial {
  number: number;
  load: string;
}

/** A finished trial; null where nothing is known. */
export interface TrialResult extends Trial {
  per_s: number | null;
  p95_ms: number | null;
  error_percent: number | null;
  /** Whether its thresholds are met. */
  is_met: boolean | null;
  text: string;
}

/** A study of many trials, of which this page shows one after the other. */
export interface Study {
  kind: string;
  subject: string;
  start_ms: number;
  running: Trial | null;
  trials: TrialResult[];
  /** Finished trials that are no longer listed. */
  earlier: number;
}

/** The page of a run, live or finished. */
export interface PageDocument {
  schema: string;
  kind: 'run';
  made_by: string;
  title: string;
  live: boolean;
  facts: [string, string][];
  verdict: Verdict | null;
  /** Set during a run. */
  so_far?: VerdictSoFar | null;
  /** How the site did, in a sentence; null before the first sample of a run that goes on. */
  headline: string | null;
  /** Null where neither thresholds nor failures make it good or bad. */
  headline_tone: Tone | null;
  /** Null without a verdict. */
  measurement: Measurement | null;
  /** Whether the p95 stands, in a sentence. */
  p95_stands: string | null;
  earlier: Earlier | null;
  warm_up: string | null;
  start_ms: number;
  duration_s: number;
  apdex_ms: [number, number];
  total: Row;
  labels: Row[];
  transactions: Transaction[];
  time: TimeSeries;
  cells: Cells;
  errors: ErrorRow[];
  other_errors: number;
  slowest: Slow[];
  events: RunEvent[];
  thresholds: Thresholds;
  notes: string[];
  /** Of custom figures and groups of labels. */
  tables: PlainTable[];
  /** Only on the live page of a study. */
  study?: Study | null;
}

/** What the figures of a chart are. */
export type Unit = 'ms' | 'per_s' | 'bytes' | 'share';

export type Tone = 'good' | 'doubtful' | 'bad';

/** A cell that is more than a text: with a second line, or with a colour. */
export interface RichCell {
  text: string;
  more: string;
  tone: Tone | null;
}

export type TableCell = string | RichCell;

export interface PlainTable {
  caption: string;
  head: string[];
  rows: TableCell[][];
}

export interface TableBlock extends PlainTable {
  block: 'table';
}

export interface StudyLine {
  name: string;
  /** One entry a place; null where there is none. */
  values: (number | null)[];
  /** Places that mean something, with what they mean. */
  marks: [number, string][];
  /** Not measured, but computed from what was. */
  computed: boolean;
}

/** Lines over a load. */
export interface LinesBlock {
  block: 'lines';
  title: string;
  /** What the places are. */
  across: string;
  /** Rising; the same place can occur more than once. */
  xs: number[];
  /** The text of each place; empty for those between measurements. */
  places: string[];
  unit: Unit;
  logarithmic: boolean;
  lines: StudyLine[];
  /** Values that must not be crossed, with what they mean. */
  limits: [number, string][];
}

export interface Bar {
  name: string;
  value: number | null;
  interval: [number, number] | null;
  text: string;
  tone: Tone | null;
}

/** A bar a row, or a change with its interval around zero. */
export interface BarsBlock {
  block: 'bars';
  title: string;
  /** Values are differences: bars begin at zero in the middle. */
  signed: boolean;
  bars: Bar[];
}

/** Rows and columns, with a figure where they meet. */
export interface HeatBlock {
  block: 'heat';
  title: string;
  across: string;
  unit: Unit;
  columns: string[];
  rows: { name: string; values: (number | null)[] }[];
}

export type Block =
  | { block: 'text'; text: string }
  | { block: 'note'; text: string }
  | TableBlock | LinesBlock | BarsBlock | HeatBlock;

export interface Section {
  title: string;
  blocks: Block[];
}

/** The page of a study of many trials, or of a comparison of two runs. */
export interface StudyDocument {
  schema: string;
  kind: 'search' | 'sweep' | 'matrix' | 'compare';
  made_by: string;
  title: string;
  answer: { tone: Tone | null; headline: string; lines: string[] } | null;
  facts: [string, string][];
  notes: string[];
  sections: Section[];
}
