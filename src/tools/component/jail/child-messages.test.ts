import { expect, test } from 'vitest';
import { parseChildMessage } from './child-messages.ts';

const done = { type: 'done', call: 1, ended: { kind: 'output', text: '{}' }, logs: [] };
const http = { type: 'http', call: 1, method: 'GET', url: 'https://a', headers: '{}', hasBody: false };

test.each([done, http, { type: 'loaded' }, { type: 'cpu', call: 1, ms: 1.5 }])('%j is a message', (message) => {
  expect(parseChildMessage(message)).toEqual(message);
});

test.each([
  ['nothing', null],
  ['a list', []],
  ['an unknown type', { type: 'exec', call: 1 }],
  ['a key too many', { ...done, extra: true }],
  ['an own __proto__', JSON.parse('{"type":"loaded","__proto__":{"call":1}}')],
  ['a call of no number', { ...done, call: '1' }],
  ['a call below one', { ...done, call: 0 }],
  ['both an output and an error', { ...done, ended: { kind: 'output', text: '', error: '' } }],
  ['an unknown end', { ...done, ended: { kind: 'quarantined', message: '' } }],
  ['an output above 1 MiB', { ...done, ended: { kind: 'output', text: 'x'.repeat(1024 * 1024 + 1) } }],
  ['a line of an unknown shape', { ...done, logs: ['line'] }],
  ['too many lines', { ...done, logs: Array.from({ length: 10_002 }, () => ({ level: 'info', message: '' })) }],
  ['a URL above 64 KiB', { ...http, url: 'x'.repeat(64 * 1024 + 1) }],
  ['a negative timeout', { ...http, timeoutMs: -1 }],
])('%s is not', (_, message) => {
  expect(() => parseChildMessage(message)).toThrow(/no known shape/);
});
