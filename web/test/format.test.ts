import assert from 'node:assert/strict';
import test from 'node:test';
import * as format from '../src/format';

test('figures have three digits', () => {
  const table: [number | null, string][] = [[0, '0.00'], [0.004, '0.0040'], [0.5, '0.50'], [12.34, '12.3'], [123.4, '123'], [12345, '12,345'], [Number.NaN, '–'], [null, '–']];
  for (const [value, text] of table) assert.equal(format.figure(value), text);
});

test('times, spans and bytes have the unit that fits', () => {
  assert.deepEqual([0.5, 1500, 12_000].map(format.duration), ['0.50 ms', '1,500 ms', '12.0 s']);
  assert.deepEqual([2, 1500, 0.05].map(format.axisMs), ['2 ms', '1.5 s', '50 µs']);
  assert.deepEqual([7.46, 59.6, 61.4, 3725].map(format.span), ['7.5 s', '60 s', '1:01', '1:02:05']);
  assert.deepEqual([999, 2048, 3 * 1024 ** 2].map(format.bytes), ['999 B', '2.00 KB', '3.00 MB']);
  assert.deepEqual([0, 2048, 1024 ** 2].map(format.axisBytes), ['0 B', '2 KB', '1 MB']);
});

test('a share is never rounded to none or all', () => {
  assert.equal(format.percent(0, 5), '0 %');
  assert.equal(format.percent(1, 1_000_000), '< 0.01 %');
  assert.equal(format.percent(999_999, 1_000_000), '> 99.99 %');
  assert.equal(format.percent(1, 8), '12.5 %');
  assert.equal(format.percent(0, 0), '–');
});
