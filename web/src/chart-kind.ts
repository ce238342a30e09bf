// What a chart shows, and what it is over.

import type uPlot from 'uplot';
import type { CsvRow } from './csv';

export interface Line {
  name: string;
  color: string;
  values: (number | null)[];
  dash?: boolean;
  dots?: boolean;
  /** Filled down to zero. */
  area?: boolean;
  width?: number;
  /** Filled between this line and that of the place. */
  bandTo?: number;
  /** Drawn over points at which it is not known. */
  overGaps?: boolean;
  /** Each point has a dot. */
  points?: boolean;
  /** It is not measured: the cursor does not stop at its points. */
  computed?: boolean;
}

/** A vertical line with what it means. */
export interface Mark {
  x: number;
  text: string;
  /** The text is in the chart, and not only at the cursor. */
  color?: string;
}

export interface ChartContent {
  /** Places on the axis, rising. */
  xs: number[];
  lines: Line[];
  /** Shown instead of a chart without data. */
  empty: string;
  logarithmic?: boolean;
  /** The largest value that the axis always shows. */
  top?: number;
  marks?: Mark[];
  /** Horizontal lines that values must not cross, with what they mean. */
  limits?: [number, string][];
}

export interface ChartKind {
  title: string;
  /** What it shows, as text, for readers who do not see it. */
  caption: string;
  /** A value in the legend. */
  value: (value: number) => string;
  /** A value on the axis. */
  axis: (value: number) => string;
  /** The unit of the values as they are, for files. */
  unit: string;
  /** Distances between marks of the axis, where they are not decimal. */
  steps?: number[];
  content: () => ChartContent;
  /** Another table than one with the points. */
  table?: () => HTMLElement;
  /** Other rows of a file than the points. */
  csv?: () => CsvRow[];
  tall?: boolean;
}

/** What a chart is over. Charts can share one, and then they share its zoom. */
export interface Axis {
  /** The head of the first column of the table. */
  readonly name: string;
  /** How to use it by keyboard. */
  readonly help: string;
  /** Places are seconds since the epoch. */
  readonly isTime: boolean;
  /** Places have even distances where their ratios are the same. */
  readonly isLogarithmic?: boolean;
  /** Charts of one key show the cursor at the same place. */
  readonly key: string | null;
  /** What is shown of it. */
  range(): [number, number];
  /** Shows a part; null shows all. Axes without it have no zoom. */
  zoom?(range: [number, number] | null): void;
  /** A place at the cursor. */
  at(x: number): string;
  /** A place in a table. */
  row(x: number): string;
  /** A place in a file. */
  exact(x: number): string | number;
  /** Marks of all charts over it. */
  marks(): Mark[];
  /** Places and texts of its ticks. */
  ticks(width: number): Partial<uPlot.Axis>;
}
