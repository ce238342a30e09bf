// Creates elements without parsing markup: text always becomes a text node, so a label or message cannot inject markup.

type Child = Node | string | null | false | undefined;
type Props = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** Creates an element. A property `onx` adds a listener; `class` and all others are attributes; false, null and undefined omit it. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** Whether an element is in the window or near it. What a run changes each second waits while it is not. */
export class Sight {
  private near = true;

  /** `come` is called when the element comes near, and before a page is printed. */
  constructor(element: Element, come: () => void) {
    new IntersectionObserver((seen) => {
      this.near = seen.some((entry) => entry.isIntersecting);
      if (this.near) come();
    }, { rootMargin: '100px' }).observe(element);
    addEventListener('beforeprint', () => {
      this.near = true;
      come();
    });
  }

  get isNear(): boolean {
    return this.near;
  }
}

/** Sets the text of an element if it has changed. */
export function setText(element: Node, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Saves a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  h('a', { href: url, download: name }).click();
  // The browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A short line in the colour and style of one of a chart. Colours are set by the object model, which the policy for styles allows. */
export function swatch(color: string, style: '' | 'dash' | 'dots' = ''): HTMLElement {
  const mark = h('i', { class: `swatch ${style}`, 'aria-hidden': 'true' });
  mark.style.setProperty('--line', color);
  return mark;
}
