import { expect, test } from 'vitest';
import { createComponentTool } from './component-tool.ts';
import { JailFailure } from './jail/jails.ts';

const never = () => Promise.reject(new Error('not called'));

test('a tool that is stopped at a limit names the limit to the log, and the error to the model', async () => {
  const codes: string[] = [];
  const row = {
    name: 'busy',
    hash: 'h',
    witVersion: '1',
    description: '',
    parameters: {},
    capabilities: {},
    revision: '1',
    installedAt: new Date(),
    updatedAt: new Date(),
  };
  const tool = createComponentTool(row, {
    jails: {
      call: () => Promise.reject(new JailFailure('cpu', 'busy used too much CPU time.')),
      restLeft: () => 0,
      forget: never,
      close: never,
    },
    egress: { send: never },
    credentials: { exists: never, resolve: never },
    takeUse: never,
    loadFiles: never,
    onSecretsUsed: never,
    onLeak: never,
    onLog: () => {},
  });
  const ann = { userId: 'ann' };

  const output = await tool.call('{}', {
    owner: ann,
    secretsOf: ann,
    idempotencyKey: 'k',
    signal: new AbortController().signal,
    onStopped: (code) => codes.push(code),
  });

  expect(codes).toEqual(['cpu']);
  expect(JSON.parse(output)).toEqual({ error: 'busy used too much CPU time.' });
});
