import assert from 'node:assert/strict';
import test from 'node:test';
import type { Run, Trend, TrendRun } from '../src/runs/data';
import { tagsOf } from '../src/runs/edit';
import { ALL, chosen, ofQuery, subjects, toQuery } from '../src/runs/filter';
import { comparisonOf, reportOf, subjectName, trendOf } from '../src/runs/places';
import { changeText, headline, isWorse } from '../src/runs/trend-text';

const run = (name: string, more: Partial<Run> = {}): Run => ({
  name, kind: 'run', plan: 'shop.jmx', subject: '/plans/shop.jmx', state: 'finished', has_folder: true, is_baseline: false, start_ms: 0, end_ms: 1,
  exit: 0, measurement: 'good', samples: 10, errors: 0, p50_ms: 1, p95_ms: 2, p99_ms: 3, per_s: 4, thresholds: null, thresholds_failed: null, thresholds_result: null, tags: [], note: '', ...more,
});

test('runs are found by all parts of a search', () => {
  const runs = [run('a', { tags: [['version', '1.4'], ['env', 'Stage']] }), run('b', { note: 'stage, after 1.4' }), run('c', { is_baseline: true })];
  const names = (text: string) => chosen(runs, { ...ALL, text }).map((one) => one.name).join();
  assert.deepEqual(['', '1.4 STAGE', 'version=1.4', 'env=stage', 'shop', 'baseline', 'zzz'].map(names), ['a,b,c', 'a,b', 'a', 'a', 'a,b,c', 'c', '']);
});

test('runs are sorted, and those without a figure come last', () => {
  const runs = [run('a', { p95_ms: 5 }), run('b', { p95_ms: null, samples: null, errors: null }), run('c', { p95_ms: 9, errors: 5, thresholds_failed: 1 })];
  const names = (choice: Partial<typeof ALL>) => chosen(runs, { ...ALL, ...choice }).map((one) => one.name).join();
  assert.equal(names({ column: 'p95_ms' }), 'c,a,b');
  assert.equal(names({ column: 'failed' }), 'c,a,b');
  assert.equal(names({ column: 'name', isDown: false }), 'a,b,c');
  assert.equal(names({ failedOnly: true }), 'c');
});

test('a choice is kept in the address', () => {
  const choice = { text: 'a&b=c', subject: '/plans/ü.jmx', failedOnly: true, column: 'p95_ms' as const, isDown: false };
  assert.deepEqual(ofQuery(toQuery(choice)), choice);
  assert.equal(toQuery(ALL), '');
  assert.deepEqual(ofQuery('sort=-nosuch'), ALL);
});

test('addresses hold any text', () => {
  assert.equal(new URLSearchParams(trendOf('http://a/?b=c&d', 3).slice(7)).get('subject'), 'http://a/?b=c&d');
  assert.equal(reportOf('ä b'), '/run?name=%C3%A4+b');
  assert.equal(comparisonOf('a', 'b'), '/compare?before=a&after=b');
  assert.deepEqual(['/plans/shop.jmx', 'swell hit http://a/b'].map(subjectName), ['shop.jmx', 'swell hit http://a/b']);
  assert.deepEqual(subjects([run('a'), run('b', { subject: 'x' }), run('c')]), [['/plans/shop.jmx', 2], ['x', 1]]);
});

test('tags are lines', () => {
  assert.deepEqual(tagsOf('version=1=2\n\n env = stage \n'), [['version', '1=2'], ['env', 'stage']]);
  for (const text of ['version', '=x', 'a=']) assert.throws(() => tagsOf(text), /invalid tag/);
});

const point = (name: string): TrendRun => ({ name, start_ms: 0, version: name === 'b' ? '1.4' : null, thresholds_failed: null, measurement: null, samples: 1, p50_ms: 1, p95_ms: 1, p99_ms: 1, per_s: 1, error_percent: 0 });
const trend = (changes: Trend['changes'], runs = ['a', 'b', 'c']): Trend => ({ subject: 's', label: null, runs: runs.map(point), changes, limits: [], baseline: null });

test('a trend says the last change first', () => {
  const slower = { figure: 'p95_ms' as const, at: 1, before: 100, after: 150 };
  const fewer = { figure: 'per_s' as const, at: 1, before: 200, after: 150 };
  const failing = { figure: 'error_percent' as const, at: 2, before: 0, after: 5 };
  assert.equal(headline(trend([fewer, slower])), 'p95 rose from 100 ms to 150 ms (+50 %) at b (version 1.4)');
  assert.equal(headline(trend([slower, failing])), 'failed samples rose from 0.00 % to 5.00 % (+5.00 points) at c');
  assert.deepEqual([slower, fewer, failing, { ...fewer, after: 250 }].map(isWorse), [true, true, true, false]);
  assert.equal(changeText({ ...fewer, after: 190 }, trend([])), 'throughput fell from 200/s to 190/s (−5.0 %) at b (version 1.4)');
  assert.equal(headline(trend([])), '3 runs are too few to find a lasting change: 10 are needed');
  assert.equal(headline(trend([], [])), 'No run of this plan has this label');
});
