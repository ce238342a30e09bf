// The mean time of a sample in its stages. Pure.

import type { Row, Stage } from './document';

export interface Part {
  name: string;
  ms: number;
  shade: string;
}

/** The mean time of a sample in parts, one after the other; a connection counts by the part of the samples that made one. */
export function stageParts({ samples, mean_ms, stages: [connect, tls, first] }: Row): Part[] {
  const each = (stage: Stage | null) => (stage && samples > 0 ? (stage[0] * stage[1]) / samples : 0);
  const [connected, shaken, answered] = [each(connect), each(tls), each(first)];
  const waited = Math.max(0, answered - connected);
  // Samples without a first byte failed before it, and their time is in the mean.
  const last = first?.[0] === samples ? 'transfer' : 'transfer, and samples without a response';
  const all: Part[] = [
    { name: 'connection', ms: Math.max(0, connected - shaken), shade: 'users' },
    { name: 'TLS', ms: shaken, shade: 'sent' },
    { name: 'waiting for the first byte', ms: waited, shade: 'rate' },
    { name: last, ms: Math.max(0, mean_ms - Math.max(answered, connected)), shade: 'compare-2' },
  ];
  return all.filter((part) => part.ms > 0);
}
