// A table whose cells are the darker the larger their figures are.

import { csvButton } from './csv';
import type { HeatBlock } from './document';
import { h } from './dom';
import { DASH } from './format';
import { scrolled } from './table';
import { UNITS } from './units';

/** The darkest cell, in parts of the colour: text stays readable on it. */
const DARKEST = 0.42;

export function heatTable(block: HeatBlock): HTMLElement {
  const { value, unit } = UNITS[block.unit];
  const largest = Math.max(0, ...block.rows.flatMap((row) => row.values.map((figure) => figure ?? 0)));
  const head = h('tr', {}, h('th', { scope: 'col' }, block.across), ...block.columns.map((name) => h('th', { scope: 'col' }, name)));
  const body = block.rows.map((row) => {
    const most = Math.max(...row.values.map((figure) => figure ?? -Infinity));
    return h('tr', {}, h('th', { scope: 'row' }, row.name), ...row.values.map((figure) => {
      if (figure === null) return h('td', { class: 'soft' }, DASH);
      const isMost = figure >= most && row.values.length > 1;
      const cell = h('td', { class: isMost ? 'heat most' : 'heat', title: isMost ? 'highest of the row' : '' }, value(figure));
      cell.style.setProperty('--part', `${((largest > 0 ? figure / largest : 0) * DARKEST * 100).toFixed(1)}%`);
      return cell;
    }));
  });
  const rows = () => [[`${block.across} (${unit})`, ...block.columns], ...block.rows.map((row) => [row.name, ...row.values])];
  const table = h('table', { class: 'heat-table' }, h('caption', { class: 'for-readers' }, block.title), h('thead', {}, head), h('tbody', {}, ...body));
  return h('figure', { class: 'chart card' }, h('div', { class: 'chart-head' }, h('h3', {}, block.title), h('span', { class: 'when' }), csvButton(block.title, () => rows())), scrolled(block.title, table));
}
