import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalHost } from '@reborn-agent/tool/local-host';
import { tool } from './tool.ts';

test('the tool counts words with any spacing', () => {
  assert.deepEqual(createLocalHost().call(tool, { text: ' one\ttwo\n\nthree ' }), { output: { words: 3 } });
});

test('the error says which parameter is missing', () => {
  assert.match(createLocalHost().call(tool, {}).error ?? '', /'text' must be a string/);
});
