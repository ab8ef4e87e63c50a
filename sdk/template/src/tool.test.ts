import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalHost } from '@reborn-agent/tool/local-host';
import { tool } from './tool.ts';

test('the tool returns the stars of a repository', () => {
  const host = createLocalHost({ http: () => ({ json: { stargazers_count: 7 } }) });

  assert.deepEqual(host.call(tool, { repository: 'nodejs/node' }), { output: { repository: 'nodejs/node', stars: 7 } });
  assert.equal(host.requests[0]?.url, 'https://api.github.com/repos/nodejs/node');
});

test('the error says that the repository does not exist', () => {
  const host = createLocalHost({ http: () => ({ status: 404 }) });

  assert.deepEqual(host.call(tool, { repository: 'no/body' }), { error: 'no/body does not exist or is not public' });
});

test('with wrong params no request is sent', () => {
  const host = createLocalHost();

  assert.match(host.call(tool, { repository: 'node' }).error ?? '', /^Invalid parameters: /);
  assert.deepEqual(host.requests, []);
});
