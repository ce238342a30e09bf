// What all pages have: the header with the colours, the zoom, sections, the footer.

import { h, setText } from './dom';
import { errorText } from './format';
import { setLook, type Look } from './theme';

/** A zoom that a page shows and ends. */
export interface Zoom {
  /** What is shown; empty: all. */
  text(): string;
  clear(): void;
  watch(changed: () => void): void;
}

/** What is zoomed, and the button that shows all again. */
export function rangeBar(zoom: Zoom): HTMLElement {
  const range = h('span', { class: 'range' });
  const back = h('button', { type: 'button', hidden: true, onclick: () => zoom.clear() }, 'Show all');
  zoom.watch(() => {
    const text = zoom.text();
    back.hidden = text === '';
    setText(range, text);
  });
  return h('div', { class: 'range-bar', role: 'status' }, range, back);
}

export function header(title: string, ...more: Node[]): HTMLElement {
  const look = h('select', { 'aria-label': 'Colours', onchange: (event) => setLook((event.target as HTMLSelectElement).value as Look) },
    h('option', { value: 'auto' }, 'System colours'), h('option', { value: 'light' }, 'Light'), h('option', { value: 'dark' }, 'Dark'));
  return h('header', {}, h('h1', {}, title), ...more, look);
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
export function facts(all: [string, Node | string][], kind: string | null = null): HTMLElement {
  return h('dl', { class: kind }, ...all.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** Pixels from which facts are beside the answer; they are folded on narrower pages, whose first screen has no room for them. */
const WIDE = 1050;

/** A card on what was run. */
export function factsCard(...children: Node[]): HTMLDetailsElement {
  const card = h('details', { class: 'card facts', open: innerWidth > WIDE }, h('summary', {}, h('h2', {}, 'What was run')), ...children);
  addEventListener('beforeprint', () => (card.open = true));
  return card;
}

/** Shows a whole page instead of what was there. */
export function showPage(title: string, top: HTMLElement[], main: HTMLElement[], footer: string): void {
  document.title = `${title} – Swell`;
  const root = document.getElementById('app') ?? document.body;
  root.replaceChildren(...top, h('main', {}, ...main), h('footer', { class: 'soft' }, footer));
}

export function showError(error: unknown): void {
  const root = document.getElementById('app') ?? document.body;
  root.replaceChildren(h('main', {}, h('div', { class: 'card answer bad' }, h('h1', {}, 'This page cannot be shown'), h('p', {}, errorText(error)))));
}
