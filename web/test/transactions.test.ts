import assert from 'node:assert/strict';
import test from 'node:test';
import type { Row } from '../src/document';
import { lines } from '../src/transactions';

const row = (label: string, transaction: boolean, samples: number, mean_ms: number): Row => ({
  label, transaction, samples, errors: 0, mean_ms, sd_ms: 0, min_ms: 1, max_ms: 1, percentiles_ms: [1, 1, 1, 1, 1],
  intervals_ms: [null, null, null, null, null], per_s: 1, received_per_s: 0, sent_per_s: 0, apdex: 1,
  codes: [], failures: [], stages: [null, null, null],
});
const part = (label: string, transaction = false) => ({ label, transaction });

test('parts stand below their transaction with their share of its time', () => {
  const rows = [row('cart', false, 10, 30), row('pay', false, 10, 50), row('Buy', true, 10, 100), row('other', false, 1, 1)];
  const shown = lines([{ label: 'Buy', parts: [part('cart'), part('pay'), part('never ran')] }], rows);
  assert.deepEqual(shown.map((line) => [line.row.label, line.is_part, line.share]), [['Buy', false, null], ['cart', true, 0.3], ['pay', true, 0.5]]);
});

test('nothing is said of the share of a label that stands in several places', () => {
  const rows = [row('cart', false, 20, 30), row('Buy', true, 10, 100), row('Look', true, 10, 100)];
  const shown = lines([{ label: 'Buy', parts: [part('cart')] }, { label: 'Look', parts: [part('cart')] }], rows);
  assert.deepEqual(shown.map((line) => line.share), [null, null, null, null]);
});

test('transactions without figures, without parts or of the same name are left out', () => {
  const rows = [row('cart', false, 10, 30), row('Buy', true, 10, 100), row('Empty', true, 1, 1)];
  const twice = { label: 'Buy', parts: [part('cart')] };
  assert.equal(lines([twice, { label: 'Empty', parts: [part('gone')] }, { label: 'Never', parts: [part('cart')] }], rows).length, 2);
  assert.equal(lines([twice, twice], rows).length, 2);
});
