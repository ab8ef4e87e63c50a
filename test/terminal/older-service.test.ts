import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { announceService } from '#cli/connect/running-service.ts';
import { runReborn } from '../support/run-reborn.ts';

const STATUS = {
  status: 'ok',
  version: '0.0.9',
  uptime_seconds: 5,
  model: { provider: 'demo', name: 'demo', demo: true },
  channels: {},
  database: { kind: 'embedded', version: '18.99' },
  replicas: 1,
  queue: { queued: 0, running: 2 },
  tools: 3,
  threads: 4,
};

/** A service that answers only these routes. */
async function serveOld(answers: Readonly<Record<string, object>>) {
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-older-'));
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { code: 'not_found', message: 'There is no such route.' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const withdraw = await announceService(home, { url, replica: 'old' });
  onTestFinished(async () => {
    await withdraw();
    server.close();
    await rm(home, { recursive: true, force: true });
  });
  return { REBORN_HOME: home, SERVICE_REBORN_WEBUI_TOKEN: 'secret-token-of-the-operator' };
}

test.each([
  ['does not count deliveries', { '/api/replicas': { replicas: [] } }],
  ['does not list its replicas', {}],
])('reborn status shows what there is of a service that %s', async (_, more) => {
  const env = await serveOld({ '/healthz': { status: 'ok', replica: 'old' }, '/api/status': STATUS, ...more });
  const { code, stdout, stderr } = await runReborn(['status'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^version +0\.0\.9$/m);
  expect(stdout).toMatch(/^turns +2 running/m);
  expect(stdout).not.toContain('deliveries');
  expect(JSON.parse((await runReborn(['status', '--json'], { env })).stdout)).toMatchObject({ version: '0.0.9' });
});
