// Parts of the page of `swell debug` that need no browser: texts of strangers, the tree, the filter.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision, Step, TraceEvent } from '../src/trace/events';
import { matching, shownRows } from '../src/trace/filter';
import { contentText, hexRows, kindOf, oneLine, prettyJson, prettyMarkup, visible } from '../src/trace/text';
import { buildTrace, type TraceNode } from '../src/trace/tree';

test('JSON gets line breaks and keeps its numbers and strings', () => {
  assert.equal(prettyJson('{"a":1.10,"b":[ ],"c":[1,{"d":"x\\"}{,"}]}'), '{\n  "a": 1.10,\n  "b": [],\n  "c": [\n    1,\n    {\n      "d": "x\\"}{,"\n    }\n  ]\n}');
  assert.equal(prettyJson('{"a":"cut'), '{\n  "a": "cut');
});

test('markup gets line breaks, well-formed or not', () => {
  assert.equal(prettyMarkup('<a><b id="1">x</b><c/><d></d></a>'), '<a>\n  <b id="1">x</b>\n  <c/>\n  <d></d>\n</a>');
  assert.equal(prettyMarkup('<p>x<br>y<script>if (a<b) {}</script>'), '<p>\n  x\n  <br>\n  y\n  <script>if (a<b) {}</script>');
  assert.equal(prettyMarkup('a < b'), 'a\n< b');
});

test('hostile texts take time in proportion to their length', () => {
  // Each of these takes minutes if a missing end is looked for again and again.
  for (const text of ['<!--', '<![CDATA[', '<', '<script>', '</']) assert.ok(prettyMarkup(text.repeat(200_000)).length > 0);
  assert.ok(prettyJson('['.repeat(500_000)).length < 50_000_000);
});

test('control characters and changes of direction are visible', () => {
  assert.equal(visible('a\u001b[31m\u202eb\u0000\r\nc\rd\u007f'), 'a␛[31m‹U+202E›b␀\r\nc␍d␡');
  assert.equal(oneLine('a\n\n b', 10), 'a b');
  assert.equal(oneLine('abcdef', 3), 'abc…');
});

test('bytes that are no text are decoded by their charset and shown as hexadecimal', () => {
  const content = { size: 2, base64: 'QeQ=' };
  assert.deepEqual(contentText(content, 'iso-8859-1').text, 'Aä');
  assert.match(contentText(content, '').note, /not valid UTF-8/);
  assert.match(contentText(content, 'no charset').note, /not valid UTF-8/);
  assert.equal(kindOf(content, ''), 'binary');
  assert.equal(hexRows(new Uint8Array([0x41, 0xe4, 0]), 0, 1), `00000000  41 e4 00${' '.repeat(15)}  ${' '.repeat(23)}  A··`);
  assert.equal(kindOf({ size: 9, text: ' {"a": 1}' }, 'text/plain'), 'json');
  assert.equal(kindOf({ size: 9, text: '<html>' }, ''), 'html');
});

const element = (path: string) => ({ class: 'X', name: path.split(' > ').at(-1) ?? '', path: `Plan > Users > ${path}`, line: 1 });
const step = (number: number, path: string, outcome = 'passed'): TraceEvent => ({
  seq: 0, at_ms: 0, event: 'step', number, user: 'Users 1-1', group: 'Users', iteration: 1, element: element(path), label: element(path).name,
  controllers: path.split(' > ').slice(0, -1), outcome, reason: '', actions: [], sample: null, variables: [],
} satisfies Step & { seq: number; at_ms: number; event: 'step' });
const decision = (path: string, kind: string, verdict: string, text: string): TraceEvent => ({
  seq: 0, at_ms: 0, event: 'decision', user: 'Users 1-1', group: 'Users', iteration: 1, element: element(path), kind, verdict, written: null, evaluated: null, text,
} satisfies Decision & { seq: number; at_ms: number; event: 'decision' });
const start: TraceEvent = {
  seq: 1, at_ms: 0, event: 'start', schema: 'swell.trace/1', version: '1', plan: 'a.jmx', name: 'Plan', groups: [], not_run: [],
  settings: { iterations: 1, keeps_timers: false, group: null, until: null, shows_secrets: false },
};
const iteration: TraceEvent = { seq: 2, at_ms: 0, event: 'iteration', user: 'Users 1-1', group: 'Users', iteration: 1, variables: [] };
const outline = (nodes: TraceNode[], depth = 0): string[] => nodes.flatMap((node) => [`${'  '.repeat(depth)}${node.name}${node.detail && node.subject.kind !== 'step' ? ` (${node.detail})` : ''}`, ...outline(node.children, depth + 1)]);

test('steps are below their controllers, and each turn of a loop is a row', () => {
  const trace = buildTrace([start, iteration,
    decision('twice', 'loop', 'turn', 'turn 1 of 2'), step(1, 'twice > a'), decision('twice > only', 'if', 'skipped', 'false'),
    decision('twice', 'loop', 'turn', 'turn 2 of 2'), step(2, 'twice > a', 'failed'), decision('twice', 'loop', 'left', ''),
    step(3, 'plain > b'), step(4, 'plain > c'), step(5, 'd')]);
  assert.deepEqual(outline(trace.roots), ['Summary', 'Users', '  Users 1-1, iteration 1',
    '    twice (Loop: turn 1 of 2)', '      a', '      only (If: false)', '    twice (Loop: turn 2 of 2)', '      a', '    plain', '      b', '      c', '    d']);
  assert.equal(trace.roots[1]?.failed, 1);
});

test('a filter leaves matches and what is above them', async () => {
  const trace = buildTrace([start, iteration, step(1, 'box > a'), step(2, 'box > b', 'failed'), step(3, 'c')]);
  const rows = async (text: string, onlyFailed: boolean) => {
    const found = await matching(trace.nodes, { text, where: 'label', onlyFailed }, () => false);
    return shownRows(trace.roots, found).map((node) => node.name);
  };
  assert.deepEqual(await rows('', true), ['Users', 'Users 1-1, iteration 1', 'box', 'b']);
  assert.deepEqual(await rows('C', false), ['Users', 'Users 1-1, iteration 1', 'c']);
  assert.deepEqual(await rows('(', false), []);
});
