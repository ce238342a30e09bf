// What all pages have: the header with the zoom and the colours, sections, the footer.

import { h, setText } from './dom';
import { setLook, type Look } from './theme';

/** A zoom that the header shows and ends. */
export interface Zoom {
  /** What is shown; empty: all. */
  text(): string;
  clear(): void;
  watch(changed: () => void): void;
}

export function header(title: string, zoom: Zoom, ...more: Node[]): HTMLElement {
  const range = h('span', { class: 'range' });
  const back = h('button', { type: 'button', hidden: true, onclick: () => zoom.clear() }, 'Show all');
  zoom.watch(() => {
    const text = zoom.text();
    back.hidden = text === '';
    setText(range, text);
  });
  const look = h('select', { 'aria-label': 'Colours', onchange: (event) => setLook((event.target as HTMLSelectElement).value as Look) },
    h('option', { value: 'auto' }, 'System colours'), h('option', { value: 'light' }, 'Light'), h('option', { value: 'dark' }, 'Dark'));
  return h('header', {}, h('h1', {}, title), ...more, h('div', { class: 'range-bar', role: 'status' }, range, back), look);
}

/** Changes the title of a page that is shown. */
export function setTitle(top: HTMLElement, title: string): void {
  document.title = `${title} – Swell`;
  const heading = top.querySelector('h1');
  if (heading) setText(heading, title);
}

export function section(title: string, ...children: Node[]): HTMLElement {
  return h('section', {}, h('h2', {}, title), ...children);
}

/** Names with their values. */
export function facts(all: [string, string][]): HTMLElement {
  return h('dl', {}, ...all.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** Shows a whole page instead of what was there. */
export function showPage(title: string, top: HTMLElement, main: HTMLElement[], footer: string): void {
  document.title = `${title} – Swell`;
  const root = document.getElementById('app') ?? document.body;
  root.replaceChildren(top, h('main', {}, ...main), h('footer', { class: 'soft' }, footer));
}

export function showError(error: unknown): void {
  const root = document.getElementById('app') ?? document.body;
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(h('main', {}, h('div', { class: 'card verdict INVALID' }, h('h1', {}, 'This page cannot be shown'), h('p', {}, text))));
}
