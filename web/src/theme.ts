// Colours of charts from the style sheet, which defines light, dark and print in one place.

const listeners: (() => void)[] = [];

/** The value of a colour of the style sheet. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
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
  for (const listener of listeners) listener();
}

/** Calls back when colours may have changed. */
export function onLook(listener: () => void): void {
  listeners.push(listener);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const listener of listeners) listener();
});

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
