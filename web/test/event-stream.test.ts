// Events of the live page, cut anywhere.

import assert from 'node:assert/strict';
import test from 'node:test';
import { EventParser } from '../src/event-stream';

const TEXT = 'retry: 250\n\n:\n\nid: 7\nevent: tick\ndata: {"a":1}\n\nid: 8\nevent: end\ndata: one\ndata: two\n\n';

test('events are the same however their bytes are cut', () => {
  for (let size = 1; size <= TEXT.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < TEXT.length; at += size) events.push(...parser.feed(TEXT.slice(at, at + size)));
    assert.deepEqual(events, [{ kind: 'tick', id: 7, data: '{"a":1}' }, { kind: 'end', id: 8, data: 'one\ntwo' }]);
    assert.equal(parser.retryMs, 250);
  }
});

test('an event that was cut off is dropped at the next connection', () => {
  const parser = new EventParser();
  assert.deepEqual(parser.feed('id: 7\nevent: tick\ndata: {"a"'), []);
  parser.reset();
  assert.deepEqual(parser.feed('id: 7\nevent: tick\ndata: 2\n\n'), [{ kind: 'tick', id: 7, data: '2' }]);
});
