import { expect, test } from 'vitest';
import { parseTraceparent } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

test.each([`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-00`, `01-${TRACE}-${PARENT}-01-more`])(
  '%s is a parent',
  (header) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT });
  },
);

test.each([
  undefined,
  '',
  [`00-${TRACE}-${PARENT}-01`],
  `ff-${TRACE}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01${'-x'.repeat(200)}`,
])('%j is ignored', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
