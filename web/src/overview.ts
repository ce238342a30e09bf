// Rate and p95 over time on the first screen of a report: two small curves that lead to the charts.

import { h } from './dom';
import { count, duration, figure, span } from './format';
import type { Store } from './store';

const WIDTH = 600;
const HEIGHT = 44;
const SVG = 'http://www.w3.org/2000/svg';

/** A curve through the values from the left edge to the right; a value that is missing is a gap. */
export function path(values: (number | null)[], most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  let isOpen = false;
  const parts = values.map((value, at) => {
    if (value === null || most <= 0) {
      isOpen = false;
      return '';
    }
    const point = `${isOpen ? 'L' : 'M'}${(at * step).toFixed(1)} ${((1 - value / most) * (HEIGHT - 2) + 1).toFixed(1)}`;
    isOpen = true;
    return point;
  });
  return parts.join('');
}

/** The largest value; 0 without any. */
export function largest(values: (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

export class Overview {
  readonly element = h('figure', { class: 'card overview' });
  private last = '';

  constructor(private readonly store: Store) {}

  update(): void {
    const { doc } = this.store;
    const { seconds, samples, p95 } = doc.time.columns;
    this.element.hidden = doc.live || seconds.length < 3;
    const now = `${doc.start_ms} ${seconds.length} ${doc.total.samples}`;
    if (this.element.hidden || now === this.last) return;
    this.last = now;
    // The last point is mostly shorter than the others, and its few samples are no rate.
    const rate = samples.map((many, at) => ((seconds[at] ?? 0) > 0 ? many / (seconds[at] as number) : null));
    const each = span(doc.time.width_ms / 1000);
    this.element.replaceChildren(
      strip('Rate', `highest ${figure(largest(rate))}/s`, rate, 'rate'),
      strip('p95', `highest ${duration(largest(p95))} in ${each}`, p95, 'p95'),
      h('figcaption', { class: 'soft' }, h('span', {}, '0 s'), h('a', { href: '#over-time', onclick: jump }, 'all charts over time'), h('span', {}, span(doc.duration_s))));
  }
}

function jump(event: Event): void {
  event.preventDefault();
  document.getElementById('over-time')?.scrollIntoView();
}

function strip(name: string, text: string, values: (number | null)[], shade: string): HTMLElement {
  const drawn = document.createElementNS(SVG, 'svg');
  const known = values.filter((value) => value !== null).length;
  const attributes = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${name} over time, ${text}, ${count(known)} points` };
  for (const [attribute, value] of Object.entries(attributes)) drawn.setAttribute(attribute, value);
  const curve = document.createElementNS(SVG, 'path');
  curve.setAttribute('d', path(values, largest(values)));
  curve.setAttribute('class', `curve ${shade}`);
  drawn.append(curve);
  return h('div', { class: 'strip' }, h('p', {}, h('b', {}, name), h('small', { class: 'soft' }, ` ${text}`)), drawn);
}
