import assert from 'node:assert/strict';
import test from 'node:test';
import { place, scale } from '../src/bars';
import type { Bar, BarsBlock, LinesBlock } from '../src/document';
import { LoadAxis } from '../src/load-axis';
import { textColumns } from '../src/table';
import { UNITS } from '../src/units';
import { zoomOf } from '../src/zoom-axis';

const bar = (value: number | null, interval: [number, number] | null = null): Bar => ({ name: 'a', value, interval, text: '', tone: null });
const block = (signed: boolean, ...bars: Bar[]): BarsBlock => ({ block: 'bars', title: 't', signed, bars });

test('bars of differences begin in the middle, and an interval that is far wider is cut', () => {
  const wide = block(true, bar(0.1, [-0.05, 90]), bar(-0.2, [-0.3, -0.1]), bar(null));
  const ends = scale(wide);
  assert.deepEqual(ends, [-0.4, 0.4]);
  const [first, second, third] = wide.bars.map((one) => place(one, ends));
  assert.deepEqual([first?.from, first?.to, first?.cut], [0.5, 0.625, [false, true]]);
  assert.equal(first?.whisker?.[1], 1);
  assert.deepEqual([second?.from, second?.to, second?.cut], [0.25, 0.5, [false, false]]);
  assert.equal(third, null);
});

test('bars of sizes begin at zero, and nothing has an axis, too', () => {
  assert.deepEqual(scale(block(false, bar(5), bar(20))), [0, 20]);
  assert.equal(place(bar(5), [0, 20])?.to, 0.25);
  assert.deepEqual(scale(block(true, bar(0), bar(null))), [-1, 1]);
  assert.deepEqual(scale(block(true, bar(0, [-2, 3]))), [-3, 3]);
  const doubtful: Bar = { ...bar(8.5, [-1, 2600]), tone: 'doubtful' };
  assert.deepEqual(scale(block(true, bar(0.1, [0, 0.15]), doubtful)), [-0.15, 0.15]);
  assert.deepEqual(scale(block(true, doubtful)), [-17, 17]);
});

const lines = (xs: number[], places: string[]): LinesBlock =>
  ({ block: 'lines', title: 't', across: 'users', xs, places, unit: 'ms', logarithmic: true, lines: [], limits: [] });

test('charts over a load share what is shown of it', () => {
  const axis = new LoadAxis('users').with(lines([10, 20], ['10 users', '20 users'])).with(lines([5, 15, 40], ['5 users', '', '40 users']));
  const [from, to] = axis.range();
  assert.deepEqual([from, Math.round(to * 10)], [0, 408]);
  assert.deepEqual([axis.at(20), axis.at(15), axis.row(15)], ['20 users', 'users 15.0', '15.0']);
  let seen = 0;
  const zoom = zoomOf([axis]);
  zoom.watch(() => (seen += 1));
  axis.zoom([12, 60]);
  assert.deepEqual([axis.range(), zoom.text(), seen], [[12, 40], 'users 12.0 to 40.0', 1]);
  zoom.clear();
  assert.deepEqual([axis.isZoomed, zoom.text(), seen], [false, '', 2]);
  axis.zoom([-5, 100]);
  assert.equal(axis.isZoomed, false);
});

test('texts below the axis do not overlap', () => {
  const xs = Array.from({ length: 100 }, (_, at) => at);
  const axis = new LoadAxis('users').with(lines(xs, xs.map((x) => `${x} users`)));
  const splits = axis.ticks().splits as unknown as (plot: { width: number }) => number[];
  const [wide, narrow] = [splits({ width: 900 }), splits({ width: 300 })];
  assert.ok(wide.length > 5 && wide.length < 20 && narrow.length < wide.length, `${wide} ${narrow}`);
});

test('columns with a cell that is no figure are text', () => {
  const rows = [
    ['1. 25 users', 'pass', '1,220', '12.3', '0.50 %', '1,190 (1,150 to 1,210)', '~', ''],
    ['2. 50 users', '~fail', '1,300 → 1,200', '<0.1', '', '2,000', '', '5'],
  ];
  assert.deepEqual(textColumns(rows), [0, 1, 6]);
  assert.deepEqual(textColumns([['label', { text: '1 → 2', more: '', tone: null }, '+10.0 %']]), [0]);
});

test('figures have their units', () => {
  assert.deepEqual([UNITS.share.value(0.123), UNITS.per_s.value(1234.5), UNITS.ms.axis(1500), UNITS.bytes.axis(2048)], ['12.3 %', '1,235/s', '1.5 s', '2 KB']);
});
