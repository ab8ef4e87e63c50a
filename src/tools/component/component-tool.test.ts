import { expect, test } from 'vitest';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import { flowOf } from '../tool.ts';
import { type ComponentHost, createComponentTool } from './component-tool.ts';
import { JailFailure } from './jail/jails.ts';

const never = () => Promise.reject(new Error('not called'));

const row = {
  name: 'busy',
  hash: 'h',
  witVersion: '1',
  description: '',
  parameters: {},
  capabilities: {},
  revision: '1',
  reads: false,
  installedAt: new Date(),
  updatedAt: new Date(),
};
const host: ComponentHost = {
  jails: {
    call: () => Promise.reject(new JailFailure('cpu', 'busy used too much CPU time.')),
    quarantineLeft: () => 0,
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
};

test('a tool runs after text by others only if the operator said that it only reads, and its methods agree', () => {
  const reaching = (method: string) => ({
    http: { allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: [method] }] },
  });
  const runs = (more: Partial<typeof row>) => flowOf(createComponentTool({ ...row, ...more }, host)).runs;
  expect(runs({ capabilities: reaching('GET'), reads: true })).toBe('always');
  expect(runs({ capabilities: reaching('GET'), reads: false })).toBe('clean');
  expect(runs({ capabilities: reaching('POST'), reads: true })).toBe('clean');
});

test('a tool without a host and a secret can send nothing, so it runs after text by others and stays foreign', () => {
  const flow = (capabilities: Record<string, unknown>) => flowOf(createComponentTool({ ...row, capabilities }, host));
  expect(flow({})).toEqual({ reads: { foreign: true }, runs: 'always', inert: true });
  for (const reach of [
    { http: { allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }] } },
    { secrets: { allowed_names: ['key'] } },
    { auth: { secret_name: 'key' } },
  ])
    expect(flow(reach)).toMatchObject({ reads: FOREIGN_AND_PRIVATE, runs: 'clean' });
});

test('a tool that is stopped at a limit names the limit to the log, and the error to the model', async () => {
  const codes: string[] = [];
  const tool = createComponentTool(row, host);
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
