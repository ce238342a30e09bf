// What a trend says in sentences. Pure.

import { duration, figure } from '../format';
import { UNITS } from '../units';
import type { FigureName, LevelChange, Trend } from './data';
import { short } from './places';

export const FIGURE_NAMES: Record<FigureName, string> = {
  p50_ms: 'p50', p95_ms: 'p95', p99_ms: 'p99', per_s: 'throughput', error_percent: 'failed samples',
};

export function valueText(name: FigureName, value: number): string {
  if (name === 'per_s') return UNITS.per_s.value(value);
  return name === 'error_percent' ? `${figure(value)} %` : duration(value);
}

/** Whether a change is bad news. */
export function isWorse({ figure: name, before, after }: LevelChange): boolean {
  return name === 'per_s' ? after < before : after > before;
}

/** `+50 %`, or percentage points of failed samples. */
export function sizeText({ figure: name, before, after }: LevelChange): string {
  const sign = after > before ? '+' : '−';
  if (name === 'error_percent') return `${sign}${figure(Math.abs(after - before))} points`;
  const part = Math.abs(after / before - 1);
  return `${sign}${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`;
}

export function changeText(change: LevelChange, trend: Trend): string {
  const run = trend.runs[change.at];
  const version = run?.version ? ` (version ${short(run.version, 40)})` : '';
  const verb = change.after > change.before ? 'rose' : 'fell';
  return `${FIGURE_NAMES[change.figure]} ${verb} from ${valueText(change.figure, change.before)} to ${valueText(change.figure, change.after)} (${sizeText(change)}) at ${short(run?.name ?? '', 60)}${version}`;
}

/** The changes at the last run that has some. */
export function latestChanges({ changes }: Trend): LevelChange[] {
  const last = Math.max(-1, ...changes.map((change) => change.at));
  return changes.filter((change) => change.at === last);
}

/** The latest change in one sentence. */
export function headline(trend: Trend): string {
  const { runs } = trend;
  if (runs.length === 0) return 'No run of this plan has this label';
  const latest = latestChanges(trend);
  // The 95th percentile says most about a site.
  const first = latest.find((change) => change.figure === 'p95_ms') ?? latest[0];
  if (first) return changeText(first, trend);
  return runs.length < 10 ? `${runs.length} runs are too few to find a lasting change: 10 are needed` : `No lasting change in ${runs.length} runs`;
}
