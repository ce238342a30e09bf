import assert from 'node:assert/strict';
import test from 'node:test';
import { codeStyle, codeTone } from '../src/codes';
import { csv, fileName } from '../src/csv';
import type { Row, Stage } from '../src/document';
import { commonBeginning } from '../src/names';
import { nines, ninesAt, place, quantileAt } from '../src/nines';
import { largest, path } from '../src/overview';
import { PERCENTILE_LINES } from '../src/percentile-lines';
import { stageParts } from '../src/stages';
import { inSight } from '../src/target-sight';

test('a file of figures has whole fields, and no formulas from labels', () => {
  const rows = [['label', 'p50 (ms)'], ['a "quoted", one', 1.5], ['two\nlines', null], ['=HYPERLINK("x")', Number.NaN], ['@x', -3]];
  assert.equal(csv(rows), 'label,p50 (ms)\r\n"a ""quoted"", one",1.5\r\n"two\nlines",\r\n"\'=HYPERLINK(""x"")",\r\n\'@x,-3\r\n');
  assert.deepEqual(["The tool's own error", 'Zeiten über Zeit', '=', 'p'.repeat(100)].map(fileName), ['the-tool-s-own-error.csv', 'zeiten-ber-zeit.csv', 'figures.csv', `${'p'.repeat(60)}.csv`]);
  assert.ok(!fileName('../../etc/passwd').includes('/'));
});

test('the common beginning of labels ends before a slash or after a space, or is the site of most', () => {
  const of = (...texts: string[]) => commonBeginning(texts);
  assert.equal(of('http://127.0.0.1:8080/home', 'http://127.0.0.1:8080/search'), 'http://127.0.0.1:8080');
  assert.equal(of('http://127.0.0.1:8080/', 'http://127.0.0.1:8080/search'), 'http://127.0.0.1:8080');
  assert.equal(of('http://a.example/x', 'http://b.example/x'), '');
  assert.equal(of('http://a.example/x', 'http://a.example/y', 'https://b.example/x', 'Login'), 'http://a.example');
  assert.equal(of('http://a.example/x', 'http://a.example/', 'Login', 'Logout', 'Home'), '');
  assert.equal(of('GET /shop/section-1/item', 'GET /shop/section-12/item'), 'GET /shop');
  assert.equal(of('Step one: login', 'Step one: logout'), 'Step one: ');
  assert.equal(of('home', 'homes'), '');
  assert.equal(of('http://127.0.0.1:8080/home'), '');
  assert.equal(of(), '');
  assert.equal(of('a long label', 'a long label', ''), '');
  const long = `${'x'.repeat(10_000)} `;
  assert.equal(of(`${long}a`, `${long}b`), long);
});

test('the axis of percentiles gives half of all samples a step, and each nine one', () => {
  const at = (quantile: number) => Number(place(nines(quantile)).toFixed(6));
  assert.deepEqual([0, 0.5, 0.9, 0.99, 0.999].map(at), [0, 1, 2, 3, 4]);
  assert.ok(at(0.75) > 1.3 && at(0.75) < 1.6, String(at(0.75)));
  for (const quantile of [0, 0.2, 0.5, 0.75, 0.9, 0.95, 0.9999]) assert.ok(Math.abs(quantileAt(at(quantile)) - quantile) < 1e-6, String(quantile));
  for (let x = 0; x < 6; x += 0.1) assert.ok(Math.abs(place(ninesAt(x)) - x) < 1e-9, String(x));
});

test('the band of the slowest percentile ends at the next one', () => {
  const banded = PERCENTILE_LINES.filter((line) => line.bandTo !== undefined);
  assert.deepEqual(banded.map(({ name, bandTo }) => [name, PERCENTILE_LINES[bandTo ?? -1]?.name]), [['p99.9', 'p99']]);
});

test('processors and memory are in sight of the target, or what there is', () => {
  const titles = ['Target: threads', 'Target: memory of the machine', 'Target: processors in use', 'Target: processor time'];
  assert.deepEqual(inSight(titles), ['Target: processor time', 'Target: memory of the machine']);
  assert.deepEqual(inSight(['Target: memory']), ['Target: memory']);
  assert.deepEqual(inSight(['Target: a', 'Target: b', 'Target: c']), ['Target: a', 'Target: b']);
  assert.deepEqual(inSight([]), []);
});

test('codes of one class have one colour and other dashes', () => {
  const codes = ['200', '404', '500', '502', '503', 'no response', 'other', '7'];
  const styles = codes.map((code, at) => codeStyle(code, codes.slice(0, at)));
  assert.deepEqual(styles.map((style) => style.of), ['users', 'compare-2', 'bad', 'bad', 'bad', 'compare-4', 'compare-5', 'compare-5']);
  assert.deepEqual(styles.slice(2, 5).map(({ dash, dots }) => [dash, dots]), [[false, false], [true, false], [false, true]]);
  assert.deepEqual(['200', '302', '404', '503', 'no response', 'OK'].map(codeTone), ['good', '', 'bad', 'bad', 'bad', '']);
});

test('stages of a sample add up to its mean', () => {
  const stage = (count: number, mean: number): Stage => [count, mean, 0, 0, 0, 0];
  const row = (samples: number, mean_ms: number, ...stages: Row['stages']) => ({ samples, mean_ms, stages }) as Row;
  const parts = (of: Row) => stageParts(of).map(({ name, ms }) => [name, Number(ms.toFixed(6))]);
  // One of ten samples made a connection of 20 ms, of which 12 were the handshake.
  assert.deepEqual(parts(row(10, 30, stage(1, 20), stage(1, 12), stage(10, 25))), [['connection', 0.8], ['TLS', 1.2], ['waiting for the first byte', 23], ['transfer', 5]]);
  assert.deepEqual(parts(row(10, 30, null, null, stage(5, 10))), [['waiting for the first byte', 5], ['transfer, and samples without a response', 25]]);
  assert.deepEqual(parts(row(0, 0, null, null, null)), []);
  assert.deepEqual(parts(row(4, 30, stage(4, 30), null, null)), [['connection', 30]]);
});

test('an overview spans its width, has gaps, and is empty without values', () => {
  assert.equal(path([0, 10, 5], 10), 'M0.0 43.0L300.0 1.0L600.0 22.0');
  assert.equal(path([1, null, 1, 1], 1), 'M0.0 1.0M400.0 1.0L600.0 1.0');
  assert.equal(path([null, null], 0), '');
  assert.equal(largest([null, 3, 1]), 3);
  assert.equal(largest([]), 0);
});
