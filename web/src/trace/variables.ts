// Tables of names and values, and the variables of a step.

import { h } from '../dom';
import { facts } from '../shell';
import { scrolled } from '../table';
import type { Action, Step } from './events';
import { oneLine } from './text';

export function table(names: string[], rows: HTMLElement[]): HTMLElement {
  return scrolled(names.join(', '), h('table', { class: 'trace-table' },
    h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { class: 'text', scope: 'col' }, name)))), h('tbody', {}, ...rows)));
}

/** A row of such a table. */
export function line(name: string, ...cells: (Node | string)[]): HTMLElement {
  return h('tr', {}, h('th', { scope: 'row' }, name), ...cells.map((cell) => h('td', { class: 'text' }, cell)));
}

/** Names with texts. */
export const pairs = (all: [string, Node | string][]) => facts(all, 'pairs');

/** The variables and properties that an element changed. */
export const changesOf = (action: Action) => [...(action.variables ?? []), ...(action.properties ?? [])];

function value(text: string | null): HTMLElement {
  return text === null ? h('td', { class: 'text soft' }, 'none') : h('td', { class: 'text' }, h('code', {}, oneLine(text, 4_000)));
}

function changes(step: Step): HTMLElement[] {
  return step.actions.flatMap((action) => {
    const row = (kind: string) => (change: { name: string; before: string | null; after: string | null }) => h('tr', {},
      h('th', { scope: 'row' }, oneLine(change.name), kind), value(change.before), value(change.after), h('td', { class: 'text soft' }, oneLine(action.element.name, 80)));
    return [...(action.variables ?? []).map(row('')), ...(action.properties ?? []).map(row(' (property)'))];
  });
}

let showsAll = false;

/** The variables that a step changed, or all of them. */
export function variables(step: Step, isKept = false): Node[] {
  const place = h('div', {});
  const changedNames = new Set(step.actions.flatMap((action) => (action.variables ?? []).map((change) => change.name)));
  const draw = () => {
    const rows = changes(step);
    for (const button of buttons) button.setAttribute('aria-pressed', (button.dataset['all'] === 'true') === showsAll ? 'true' : 'false');
    if (showsAll) {
      place.replaceChildren(table(['Name', 'Value after the step'], step.variables.map(([name, text]) => h('tr', { class: changedNames.has(name) ? 'changed' : '' }, h('th', { scope: 'row' }, oneLine(name)), value(text)))));
    } else {
      place.replaceChildren(rows.length > 0 ? table(['Name', 'Before', 'After', 'Set by'], rows) : h('p', { class: 'soft' }, 'The step changed no variable.'));
    }
  };
  const choose = (all: boolean) => h('button', {
    type: 'button', 'data-all': String(all), onclick: () => {
      showsAll = all;
      draw();
    },
  }, all ? `All (${step.variables.length})` : 'Changed');
  if (isKept) showsAll = true;
  const buttons = isKept ? [choose(true)] : [choose(false), choose(true)];
  draw();
  return [h('div', { class: 'views', role: 'group', 'aria-label': 'Which variables' }, ...buttons), place];
}
