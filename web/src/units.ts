// How figures of a unit are written in charts. Pure.

import type { Unit } from './document';
import { axisBytes, axisMs, axisNumber, bytes, BYTE_STEPS, duration, figure, share } from './format';

export interface UnitText {
  value: (value: number) => string;
  axis: (value: number) => string;
  steps?: number[];
  /** The unit of the values as they are. */
  unit: string;
}

export const UNITS: Record<Unit, UnitText> = {
  ms: { value: duration, axis: axisMs, unit: 'ms' },
  per_s: { value: (value) => `${figure(value)}/s`, axis: axisNumber, unit: 'per second' },
  bytes: { value: bytes, axis: axisBytes, steps: BYTE_STEPS, unit: 'bytes' },
  share: { value: share, axis: (value) => `${Number((100 * value).toPrecision(3))} %`, unit: 'share of 1' },
};
