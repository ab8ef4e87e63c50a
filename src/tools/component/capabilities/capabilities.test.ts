import { expect, test } from 'vitest';
import { isRepeatable } from './capabilities.ts';
import { parseCapabilities } from './parse-capabilities.ts';

const granting = (...methods: string[][]) =>
  parseCapabilities({
    http: { allowlist: methods.map((list) => ({ host: 'api.example.com', path_prefix: '/', methods: list })) },
  });

test('a tool that can only read may be run again', () => {
  expect(isRepeatable(granting())).toBe(true);
  expect(isRepeatable(granting([]))).toBe(true);
  expect(isRepeatable(granting(['GET'], ['HEAD', 'GET']))).toBe(true);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('with %s among its methods it is not repeatable', (method) => {
  expect(isRepeatable(granting(['GET'], ['GET', method]))).toBe(false);
});
