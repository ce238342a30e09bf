// What the server of kept runs answers; crates/serve makes it.

import { ask, request } from '../api';
import type { Measurement } from '../document';

export type Tags = [string, string][];

/** A kept run. Figures are missing while it runs, and if it was killed. */
export interface Run {
  name: string;
  kind: string;
  plan: string;
  /** Runs of one subject have one trend and one baseline. */
  subject: string;
  state: 'running' | 'killed' | 'finished';
  has_folder: boolean;
  is_baseline: boolean;
  start_ms: number;
  end_ms: number | null;
  exit: number | null;
  measurement: Measurement | null;
  samples: number | null;
  errors: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  per_s: number | null;
  thresholds: number | null;
  thresholds_failed: number | null;
  /** Their result in a few words; null without thresholds. */
  thresholds_result: string | null;
  tags: Tags;
  note: string;
}

export interface RunList {
  folder: string;
  may_change: boolean;
  is_cut: boolean;
  runs: Run[];
}

export interface LabelName {
  id: number;
  label: string;
  is_transaction: boolean;
}

export type FigureName = 'p50_ms' | 'p95_ms' | 'p99_ms' | 'per_s' | 'error_percent';

/** A run of a trend. */
export interface TrendRun extends Record<FigureName, number | null> {
  name: string;
  start_ms: number;
  version: string | null;
  thresholds_failed: number | null;
  measurement: Measurement | null;
  samples: number;
}

/** From the run at that place on, the level of the figure is another one. */
export interface LevelChange {
  figure: FigureName;
  at: number;
  before: number;
  after: number;
}

export interface Trend {
  subject: string;
  label: LabelName | null;
  runs: TrendRun[];
  changes: LevelChange[];
  limits: { figure: FigureName; value: number; rule: string }[];
  /** The name of the baseline. */
  baseline: string | null;
}

const path = (name: string, what: string) => `/api/runs/${encodeURIComponent(name)}/${what}`;

export const api = {
  runs: () => ask<RunList>('GET', '/api/runs'),
  page: (name: string) => ask<unknown>('GET', path(name, 'page')),
  comparison: (before: string, after: string) =>
    ask<unknown>('GET', `/api/compare?${new URLSearchParams({ before, after })}`),
  labels: (subject: string) => ask<LabelName[]>('GET', `/api/labels?${new URLSearchParams({ subject })}`),
  trend: (subject: string, label: number | null, count: number) =>
    ask<Trend>('GET', `/api/trend?${new URLSearchParams({ subject, count: String(count), ...(label === null ? {} : { label: String(label) }) })}`),
  annotate: (name: string, tags: Tags, note: string) =>
    ask<Run>('PUT', path(name, 'annotation'), { tags: Object.fromEntries(tags), note }),
  setBaseline: (name: string, is_baseline: boolean) => ask<Run>('PUT', path(name, 'baseline'), { is_baseline }),
};

/** The report of a run as one file. */
export async function reportFile(name: string): Promise<Blob> {
  const response = await request('GET', path(name, 'file'));
  return new Blob([await response.arrayBuffer()], { type: 'text/html' });
}

/** Sends a results file. */
export async function upload(file: File): Promise<{ name: string; samples: number; bad_rows: number }> {
  const response = await request('POST', `/api/import?${new URLSearchParams({ file: file.name })}`, file, 'application/octet-stream');
  return response.json() as Promise<{ name: string; samples: number; bad_rows: number }>;
}
