// When things of a sample happened, as bars from its start.

import { barRow, span } from '../bars';
import { h } from '../dom';
import { bytes, duration } from '../format';
import type { Action, Sample } from './events';
import { oneLine } from './text';
import { line, pairs, table } from './variables';

interface Phase {
  name: string;
  from: number;
  to: number;
}

function phases(sample: Sample): Phase[] {
  const { connect_ms: connect, tls_ms: tls, first_byte_ms: first, elapsed_ms: elapsed } = sample.timing;
  const all: Phase[] = [];
  if (connect !== null) all.push({ name: tls === null ? 'Connect' : 'Connect, TCP', from: 0, to: connect - (tls ?? 0) });
  if (connect !== null && tls !== null) all.push({ name: 'Connect, TLS', from: connect - tls, to: connect });
  if (first !== null) {
    all.push({ name: 'Send and wait for the first byte', from: connect ?? 0, to: first });
    all.push({ name: 'Receive', from: first, to: elapsed });
  } else all.push({ name: 'No response', from: connect ?? 0, to: elapsed });
  return all;
}

function bar(phase: Phase, whole: number): HTMLElement {
  const part = (ms: number) => (whole > 0 ? Math.max(0, ms) / whole : 0);
  return barRow(phase.name, duration(Math.max(0, phase.to - phase.from)), [span('bar', part(phase.from), part(phase.to))]);
}

/** Times and sizes of a sample, and the delays of its timers. */
export function timing(sample: Sample, actions: Action[]): Node[] {
  const { timing: times } = sample;
  const timers = actions.filter((action) => action.timer).map(({ element, timer }) =>
    line(oneLine(element.name), timer?.wait_ms === null ? 'depends on other users' : `${timer?.wait_ms} ms`, timer?.skipped ? 'skipped' : 'waited'));
  return [
    h('h3', {}, `${duration(times.elapsed_ms)} in all`), h('ul', { class: 'bars card' }, ...phases(sample).map((phase) => bar(phase, times.elapsed_ms))),
    pairs([
      ['Start', new Date(times.start_ms).toISOString().replace('T', ' ').replace('Z', ' UTC')], ['Late by', duration(times.queue_ms)],
      ['Sent', bytes(sample.sent_bytes)], ['Received', bytes(sample.received_bytes)],
    ]),
    ...(timers.length > 0 ? [h('h3', {}, 'Timers'), table(['Timer', 'Delay', 'What happened'], timers)] : []),
  ];
}
