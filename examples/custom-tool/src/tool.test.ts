import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalHost } from '@reborn-agent/tool/local-host';
import { tool } from './tool.ts';

test('it counts words, however they are set', () => {
  assert.deepEqual(createLocalHost().call(tool, { text: ' one\ttwo\n\nthree ' }), { output: { words: 3 } });
});

test('it says what it needs', () => {
  assert.match(createLocalHost().call(tool, {}).error ?? '', /'text' must be a string/);
});
