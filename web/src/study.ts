// The page of a study of many trials, or of a comparison of two runs: the answer, what was done, then charts and tables.

import { bars } from './bars';
import type { Chart } from './chart';
import type { Block, LinesBlock, Section, StudyDocument, TableBlock, TableCell } from './document';
import { h } from './dom';
import { heatTable } from './heattable';
import { loadChart } from './load';
import { LoadAxis } from './load-axis';
import { Sections } from './nav';
import { facts, factsCard, header, rangeBar, section, showPage } from './shell';
import { scrolled, table, textColumns } from './table';
import { zoomOf } from './zoom-axis';

/** Characters of a cell that are shown whole: a label can have thousands. */
const MOST_TEXT = 300;

export function showStudy(doc: StudyDocument): void {
  const axes = new Map<string, LoadAxis>();
  const charts: Chart[] = [];
  const draw = (block: LinesBlock) => {
    const axis = axes.get(block.across) ?? new LoadAxis(block.across);
    axes.set(block.across, axis);
    const chart = loadChart(block, axis);
    charts.push(chart);
    return chart.element;
  };
  const entries = [
    { name: 'Result', element: result(doc) },
    ...doc.sections.map((one) => ({ name: one.title, element: section(one.title, ...blocks(one, draw)) })),
  ];
  const sections = new Sections(entries, rangeBar(zoomOf([...axes.values()])));
  showPage(doc.title, [header(doc.title), sections.element], entries.map((entry) => entry.element), `${doc.made_by}.`);
  sections.update();
  for (const chart of charts) chart.update();
}

function result({ answer, facts: known, notes }: StudyDocument): HTMLElement {
  const cards = [
    answer && h('div', { class: `card answer ${answer.tone ?? ''}` },
      h('h2', { class: 'headline' }, answer.headline),
      h('ul', { class: 'reasons' }, ...answer.lines.map((line) => h('li', {}, line)))),
    known.length > 0 && factsCard(facts(known)),
  ];
  return h('section', { class: 'result', id: 'result', 'aria-label': 'Result' },
    h('div', { class: answer ? 'two' : '' }, ...cards),
    ...notes.map((text) => h('p', { class: 'note' }, text)));
}

/** Charts that follow one another are side by side. */
function blocks({ blocks }: Section, draw: (block: LinesBlock) => HTMLElement): HTMLElement[] {
  const shown: HTMLElement[] = [];
  for (const block of blocks) {
    const element = show(block, draw);
    const isChart = ['lines', 'bars', 'heat'].includes(block.block);
    const last = shown.at(-1);
    if (isChart && last?.classList.contains('grid')) last.append(element);
    else shown.push(isChart ? h('div', { class: 'grid' }, element) : element);
  }
  return shown;
}

function show(block: Block, draw: (block: LinesBlock) => HTMLElement): HTMLElement {
  switch (block.block) {
    case 'text': return h('p', {}, block.text);
    case 'note': return h('p', { class: 'note' }, block.text);
    case 'table': return studyTable(block);
    case 'lines': return draw(block);
    case 'bars': return bars(block);
    case 'heat': return heatTable(block);
  }
}

function studyTable(block: TableBlock): HTMLElement {
  const rows = block.rows.map((row) => row.map(cell));
  const found = table(block.caption, block.head, rows, textColumns(block.rows));
  found.classList.add('study');
  return scrolled(block.caption, found);
}

function cell(value: TableCell): Node | string {
  if (typeof value === 'string') return clamped(value);
  const { text, more, tone } = value;
  return h('span', { class: tone ? `cell ${tone}` : 'cell' }, clamped(text), more && h('small', {}, more));
}

function clamped(text: string): Node | string {
  return text.length > MOST_TEXT ? h('span', { class: 'clamp', title: text }, text) : text;
}
