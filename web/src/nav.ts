// The list of sections that stays in view, with the one that is read.

import { h } from './dom';

/** Pixels from the top of the window above which the section begins that is read. */
const BELOW_LIST = 160;

/** A section of a page with the text of its link. */
export interface Entry {
  name: string;
  element: HTMLElement;
}

export class Sections {
  readonly element: HTMLElement;
  private last = '';
  private readonly links: { entry: Entry; link: HTMLAnchorElement }[];

  /** `more` follows the links. */
  constructor(entries: Entry[], ...more: Node[]) {
    this.links = entries.map((entry, at) => {
      entry.element.id ||= `section-${at + 1}`;
      return { entry, link: h('a', { href: `#${entry.element.id}`, onclick: (event) => this.go(event, entry.element) }, entry.name) };
    });
    const list = h('ul', {}, ...this.links.map(({ link }) => h('li', {}, link)));
    this.element = h('div', { class: 'sections' }, h('nav', { 'aria-label': 'Sections', tabindex: '-1' }, list), ...more);
    addEventListener('scroll', () => this.mark(), { passive: true });
    addEventListener('resize', () => this.mark(), { passive: true });
  }

  /** Sections may have come and gone. */
  update(): void {
    const now = this.links.map(({ entry }) => entry.element.hidden).join();
    // Where a section begins is looked at only if there are others: that lays out the page.
    if (now === this.last) return;
    this.last = now;
    for (const { entry, link } of this.links) {
      const item = link.parentElement;
      if (item) item.hidden = entry.element.hidden;
    }
    this.mark();
  }

  private mark(): void {
    const shown = this.links.filter(({ entry }) => !entry.element.hidden);
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
    const above = shown.filter(({ entry }) => entry.element.getBoundingClientRect().top < BELOW_LIST);
    const now = isAtEnd ? shown.at(-1) : scrollY === 0 ? shown[0] : (above.at(-1) ?? shown[0]);
    for (const one of this.links) {
      if (one === now) one.link.setAttribute('aria-current', 'true');
      else one.link.removeAttribute('aria-current');
    }
    if (now) reveal(now.link);
  }

  /** The address of a live page has no place for a section: its hash once held the secret, and a reload must not lose the page. */
  private go(event: Event, element: HTMLElement): void {
    event.preventDefault();
    element.scrollIntoView();
    element.setAttribute('tabindex', '-1');
    element.focus({ preventScroll: true });
  }
}

/** Scrolls the list, and nothing else, until a link of it is seen. */
function reveal(link: HTMLElement): void {
  const list = link.closest('nav');
  if (!list || list.scrollWidth <= list.clientWidth) return;
  const from = link.offsetLeft - 24;
  const to = link.offsetLeft + link.offsetWidth + 24;
  if (from < list.scrollLeft) list.scrollLeft = from;
  else if (to > list.scrollLeft + list.clientWidth) list.scrollLeft = to - list.clientWidth;
}
