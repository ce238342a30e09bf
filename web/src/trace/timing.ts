// When things of a sample happened, as bars from its start.

import { h } from '../dom';
import type { Action, Sample } from './events';
import { msText, oneLine, sizeText } from './text';
import { pairs, table } from './variables';

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
  const mark = h('span', { class: 'bar' });
  const part = (ms: number) => `${whole > 0 ? (Math.max(0, ms) / whole) * 100 : 0}%`;
  mark.style.left = part(phase.from);
  mark.style.width = part(phase.to - phase.from);
  return h('li', {}, h('span', { class: 'name' }, phase.name), h('span', { class: 'track', 'aria-hidden': 'true' }, mark), h('span', { class: 'value' }, msText(Math.max(0, phase.to - phase.from))));
}

/** Times and sizes of a sample, and the delays of its timers. */
export function timing(sample: Sample, actions: Action[]): Node[] {
  const { timing: times } = sample;
  const timers = actions.filter((action) => action.timer).map((action) => h('tr', {}, h('th', { scope: 'row' }, oneLine(action.element.name)),
    h('td', { class: 'text' }, action.timer?.wait_ms === null ? 'depends on other users' : `${action.timer?.wait_ms} ms`), h('td', { class: 'text' }, action.timer?.skipped ? 'skipped' : 'waited')));
  return [
    h('h3', {}, `${msText(times.elapsed_ms)} in all`), h('ul', { class: 'bars card' }, ...phases(sample).map((phase) => bar(phase, times.elapsed_ms))),
    pairs([
      ['Start', new Date(times.start_ms).toISOString().replace('T', ' ').replace('Z', ' UTC')], ['Late by', msText(times.queue_ms)],
      ['Sent', sizeText(sample.sent_bytes)], ['Received', sizeText(sample.received_bytes)],
    ]),
    ...(timers.length > 0 ? [h('h3', {}, 'Timers'), table(['Timer', 'Delay', 'What happened'], timers)] : []),
  ];
}
