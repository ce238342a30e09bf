// Charts of a study over a load.

import { Chart } from './chart';
import type { ChartContent } from './chart-kind';
import type { LinesBlock } from './document';
import type { LoadAxis } from './load-axis';
import { compareColor } from './theme';
import { UNITS } from './units';

const COLORS = 6;

/** A chart of a study. */
export function loadChart(block: LinesBlock, axis: LoadAxis): Chart {
  return axis.add(new Chart(axis.with(block), {
    title: block.title,
    caption: `${block.title}: ${block.lines.map((line) => line.name).join(', ')}`,
    ...UNITS[block.unit],
    content: () => content(block),
    tall: true,
  }));
}

/** What a chart shows of its block. */
export function content(block: LinesBlock): ChartContent {
  // Zero is nowhere on a logarithmic axis.
  const shown = (value: number | null) => (value !== null && block.logarithmic && value <= 0 ? null : value);
  const lines = block.lines.map((line, at) => ({
    name: line.name,
    color: compareColor(at % COLORS),
    values: line.values.map(shown),
    dash: Math.floor(at / COLORS) % 3 === 1,
    dots: line.computed || Math.floor(at / COLORS) % 3 === 2,
    overGaps: true,
    points: !line.computed,
    computed: line.computed,
  }));
  const marks = block.lines.flatMap((line, at) =>
    line.marks.map(([x, text]) => ({ x, text, color: compareColor(at % COLORS) })));
  return { xs: block.xs, lines, marks, limits: block.limits, empty: 'Nothing was measured', logarithmic: block.logarithmic };
}
