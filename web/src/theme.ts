// Colours of charts from the style sheet, which defines light, dark and print in one place.

const listeners: (() => void)[] = [];

/** Colours by their names, until the look changes: each question to the style sheet recalculates the styles of all that has changed. */
const known = new Map<string, string>();

/** The value of a colour of the style sheet. */
export function color(name: string): string {
  const found = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  if (found !== '') known.set(name, found);
  return found;
}

function changed(): void {
  known.clear();
  for (const listener of listeners) listener();
}

/** Colours of compared labels, distinguishable with colour blindness. */
export function compareColor(at: number): string {
  return color(`compare-${at + 1}`);
}

/** A colour with an opacity in 0..1. */
export function faded(value: string, opacity: number): string {
  return `color-mix(in srgb, ${value} ${Math.round(opacity * 100)}%, transparent)`;
}

export type Look = 'auto' | 'light' | 'dark';

export function setLook(look: Look): void {
  if (look === 'auto') delete document.documentElement.dataset['look'];
  else document.documentElement.dataset['look'] = look;
  changed();
}

/** Calls back when colours may have changed. */
export function onLook(listener: () => void): void {
  listeners.push(listener);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);

// Paper is light and narrow. Charts are canvases, so they are redrawn for printing; they listen to the same events after this module.
let lookBefore: Look = 'auto';
addEventListener('beforeprint', () => {
  lookBefore = (document.documentElement.dataset['look'] as Look | undefined) ?? 'auto';
  document.documentElement.classList.add('printing');
  setLook('light');
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing');
  setLook(lookBefore);
});
