import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { formatResponseId, parseResponseId } from './response-id.ts';

const hex = '0123456789abcdef'.repeat(4);

test('a response id is resp_, the hex of the response, and the hex of the thread', () => {
  const turnId = '01234567-89ab-cdef-0123-456789abcdef' as TurnId;
  const threadId = 'fedcba98-7654-3210-fedc-ba9876543210' as ThreadId;

  expect(formatResponseId({ turnId, threadId })).toBe(
    'resp_0123456789abcdef0123456789abcdeffedcba9876543210fedcba9876543210',
  );
});

test('every ID can be parsed', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (turn, thread) => {
      const ids = { turnId: turn as TurnId, threadId: thread as ThreadId };
      expect(parseResponseId(formatResponseId(ids))).toEqual(ids);
    }),
  );
});

test.each([
  '',
  'resp_',
  hex,
  `resp_${hex.slice(1)}`,
  `resp_${hex}0`,
  `resp_${hex.toUpperCase()}`,
  `resp_${hex.slice(1)}g`,
  `RESP_${hex}`,
  `msg_${hex}`,
  ` resp_${hex}`,
  `resp_${hex}\n`,
  'resp_01234567-89ab-cdef-0123-456789abcdef01234567-89ab-cdef-0123-456789abcdef',
])('%j is not a response id', (id) => {
  expect(parseResponseId(id)).toBeUndefined();
});

test('only an ID in canonical form can be parsed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('resp_', hex, '0', 'F', '-') })), (id) => {
      const key = parseResponseId(id);
      expect(key === undefined || formatResponseId(key) === id).toBe(true);
    }),
  );
});
