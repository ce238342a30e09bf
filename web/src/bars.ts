// Bars in rows, with their figures as text: figures of tools side by side, or changes with their intervals around zero.

import { csvButton, type CsvRow } from './csv';
import type { Bar, BarsBlock } from './document';
import { h } from './dom';

/** An interval may be many times as wide as all changes: what is drawn of it ends here. */
const MOST_OF_VALUES = 2;

/** The places of a bar in its row, in parts of the width. */
export interface Place {
  from: number;
  to: number;
  whisker: [number, number] | null;
  /** The interval goes beyond what is drawn. */
  cut: [boolean, boolean];
}

/** The axis of all rows: its ends in the unit of the values. */
export function scale({ bars, signed }: BarsBlock): [number, number] {
  const size = (value: number | null) => (value === null ? 0 : Math.abs(value));
  // What is doubtful can be far larger than all that is certain.
  const certain = bars.filter((bar) => bar.tone !== 'doubtful' && size(bar.value) > 0);
  const counted = certain.length > 0 ? certain : bars;
  const values = Math.max(0, ...counted.map((bar) => size(bar.value)));
  const intervals = Math.max(0, ...counted.flatMap((bar) => (bar.interval ?? []).map(size)));
  const end = Math.max(values, Math.min(intervals, values > 0 ? values * MOST_OF_VALUES : intervals)) || 1;
  return [signed ? -end : 0, end];
}

export function place(bar: Bar, [low, high]: [number, number]): Place | null {
  if (bar.value === null) return null;
  const at = (value: number) => Math.min(1, Math.max(0, (value - low) / (high - low)));
  const ends = [at(0), at(bar.value)].sort((a, b) => a - b) as [number, number];
  const { interval } = bar;
  return {
    from: ends[0],
    to: ends[1],
    whisker: interval && [at(interval[0]), at(interval[1])],
    cut: interval ? [interval[0] < low, interval[1] > high] : [false, false],
  };
}

const percent = (part: number) => `${(100 * part).toFixed(2)}%`;

export function bars(block: BarsBlock): HTMLElement {
  const ends = scale(block);
  return h('figure', { class: 'chart card' },
    h('div', { class: 'chart-head' }, h('h3', {}, block.title), h('span', { class: 'when' }), csvButton(block.title, () => rows(block))),
    h('ul', { class: 'bars' }, ...block.bars.map((bar) => row(bar, ends, block.signed))));
}

function rows({ bars }: BarsBlock): CsvRow[] {
  return [['name', 'value', '95 % from', '95 % to'], ...bars.map((bar) => [bar.name, bar.value, ...(bar.interval ?? [null, null])])];
}

function row(bar: Bar, ends: [number, number], signed: boolean): HTMLElement {
  const found = place(bar, ends);
  const parts = found ? [span('bar', found.from, found.to)] : [];
  if (found?.whisker) {
    const whisker = span('whisker', ...found.whisker);
    whisker.classList.toggle('open-left', found.cut[0]);
    whisker.classList.toggle('open-right', found.cut[1]);
    parts.push(whisker);
  }
  return barRow(bar.name, bar.text, parts, bar.tone ?? '', signed);
}

/** A row with its name, what is drawn, and its figure as text. */
export function barRow(name: string, text: string, parts: HTMLElement[], tone = '', signed = false): HTMLElement {
  const track = h('span', { class: signed ? 'track signed' : 'track', 'aria-hidden': 'true' }, ...parts);
  return h('li', { class: tone }, h('span', { class: 'name', title: name }, name), track, h('span', { class: 'value' }, text));
}

/** What is drawn between two places, in parts of the width. */
export function span(name: string, from: number, to: number): HTMLElement {
  const part = h('span', { class: name });
  part.style.setProperty('left', percent(from));
  part.style.setProperty('width', percent(Math.max(0, to - from)));
  return part;
}
