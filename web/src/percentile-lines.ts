// The lines of the chart of response times. Pure.

import type { ColumnName } from './document';

interface PercentileLine {
  name: string;
  /** Its figures; its colour has the same name. */
  column: ColumnName;
  width?: number;
  /** The place of the line down to which it is filled. */
  bandTo?: number;
}

export const PERCENTILE_LINES: PercentileLine[] = [
  { name: 'p99.9', column: 'p999', width: 1, bandTo: 1 },
  { name: 'p99', column: 'p99' },
  { name: 'p95', column: 'p95', width: 1 },
  { name: 'p50', column: 'p50', width: 2 },
];
