import assert from 'node:assert/strict';
import test from 'node:test';
import type { Cell, PageDocument, Row } from '../src/document';
import { bounds, Histogram, middleMs } from '../src/histogram';
import { eachBucket, Store } from '../src/store';

const row = (label: string, samples: number): Row => ({
  label, transaction: false, samples, errors: 0, mean_ms: 1, sd_ms: 0, min_ms: 1, max_ms: 1, percentiles_ms: [1, 1, 1, 1, 1],
  intervals_ms: [null, null, null, null, null], per_s: 1, received_per_s: 0, sent_per_s: 0, apdex: 1,
  codes: [], failures: [], stages: [null, null, null],
});

/** Ten cells of a second with 100 samples of 1 ms, and 50 of 8 ms in the last five. */
function store(): Store {
  const fast = (place: number): Cell => [place, 100, 1, 1000, 0, 100_000, 1000, 99, 0, 111, 100];
  const slow = (place: number): Cell => [place, 50, 0, 0, 0, 400_000, 8000, 0, 50, 159, 50];
  const doc = {
    schema: 'swell.page/2', kind: 'run', start_ms: 1_000_000, duration_s: 10, apdex_ms: [500, 1500], total: row('TOTAL', 1250), labels: [row('fast', 1000), row('slow', 250), row('other', 7)],
    time: { width_ms: 1000, columns: { seconds: new Array(10).fill(1) }, kinds: {}, target: [] },
    cells: { start_ms: 1_000_000, width_ms: 1000, total: [], labels: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(fast), [5, 6, 7, 8, 9].map(slow), null] },
  } as unknown as PageDocument;
  return new Store(doc);
}

test('buckets follow each other without gaps', () => {
  for (let bucket = 0; bucket < 500; bucket += 1) assert.equal(bounds(bucket)[1], bounds(bucket + 1)[0], String(bucket));
  assert.deepEqual([bounds(15), bounds(16), bounds(32), bounds(48)], [[15, 16], [16, 17], [32, 34], [64, 68]]);
});

test('quantiles are those of all values', () => {
  const all = new Histogram();
  all.add(111, 99);
  all.add(159, 1);
  assert.deepEqual(all.quantiles([0.5, 0.99, 0.999]), [middleMs(111), middleMs(111), middleMs(159)]);
  assert.deepEqual(new Histogram().quantiles([0.5]), [null]);
});

test('figures of a stretch of time are those of its whole cells', () => {
  const shown = store();
  shown.setRange([1_004_500, 1_007_200]);
  assert.deepEqual(shown.snapped, [1_004_000, 1_008_000]);
  const { rows } = shown.rows();
  assert.equal(rows[0]?.samples, 400);
  assert.equal(rows[0]?.errors, 4);
  assert.equal(rows[0]?.per_s, 100);
  assert.equal(rows[1]?.samples, 150);
  assert.equal(rows[1]?.apdex, 0.5);
  assert.ok(Math.abs((rows[1]?.percentiles_ms[0] ?? 0) - 8) < 0.25);
  assert.equal(rows[0]?.percentiles_ms[4], null, 'too few samples');
  assert.ok(Number.isNaN(rows[2]?.samples), 'only known of the whole run');
  shown.setRange(null);
  assert.equal(shown.rows().rows[2]?.samples, 7);
});

test('a range stays within the run and is never too small to see', () => {
  const shown = store();
  shown.setRange([1_009_900, 1_009_901]);
  assert.deepEqual(shown.range, [1_008_000, 1_010_000]);
  shown.setRange([0, 9_999_999]);
  assert.equal(shown.range, null, 'all of it');
});

test('at most six labels are compared', () => {
  const shown = store();
  for (let place = 0; place < 8; place += 1) shown.toggle(place);
  assert.deepEqual(shown.compared, [0, 1, 2, 3, 4, 5]);
  shown.toggle(2);
  assert.deepEqual(shown.compared, [0, 1, 3, 4, 5]);
});

test('buckets of a cell are distances', () => {
  const seen: [number, number][] = [];
  eachBucket([0, 3, 0, 0, 0, 0, 0, 0, 0, 5, 1, 2, 2], (bucket, times) => seen.push([bucket, times]));
  assert.deepEqual(seen, [[5, 1], [7, 2]]);
});
