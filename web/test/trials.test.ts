import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Study } from '../src/document';
import { rows, state } from '../src/trials';

const result = (number: number, more = {}) =>
  ({ number, load: `users ${number * 10}`, per_s: 1234, p95_ms: 12.3, error_percent: 0, is_met: null, text: '', ...more });
const study = (more: Partial<Study>): Study =>
  ({ kind: 'search', subject: 'http://shop/', start_ms: 0, running: null, trials: [], earlier: 0, ...more });

test('the last trial is the first line, and what is not known stays empty', () => {
  const shown = rows(study({ trials: [result(1), result(2, { per_s: null, p95_ms: null, error_percent: null, is_met: false, text: 'fail' })] }));
  assert.deepEqual(shown.map((row) => row[0]), ['2', '1']);
  assert.deepEqual(shown[0]?.slice(4), ['', 'FAILED', 'fail']);
  assert.equal(shown[1]?.[5], '');
});

test('the page says which trial runs', () => {
  assert.equal(state(study({})), 'The first trial has not started.');
  assert.equal(state(study({ running: { number: 3, load: 'users 50' } })), 'Trial 3 is running: users 50');
  assert.equal(state(study({ trials: [result(7)], earlier: 4 })), 'Trial 7 has finished. The first 4 trials are not shown.');
});
