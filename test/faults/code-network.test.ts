import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isPossible } from '../sandbox/guest.ts';
import { textOf } from '../support/service.ts';
import { startTlsStandIn, type TlsStandIn } from '../support/tls-stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';

const HOST = 'allowed.example';
let cluster: Cluster;
let outside: TlsStandIn;

beforeEach(({ skip }) => skip(!isPossible));
beforeAll(async () => {
  if (!isPossible) return;
  outside = await startTlsStandIn(HOST);
  cluster = await startCluster({
    env: { SANDBOX: 'auto', SANDBOX_HOSTS: HOST, STAND_IN_PORT: String(outside.port) },
  });
});
afterAll(async () => {
  if (!isPossible) return;
  await cluster.close();
  await outside.close();
});

test('kill -9 of the service while code with network runs: it is not repeated, and its files are as before', async () => {
  const victim = await cluster.start();
  const { id: previous } = await victim.ask('say hello');
  const { threads } = (await (await victim.request('/api/threads')).json()) as { threads: { id: string }[] };
  const thread = threads[0]?.id ?? '';
  await victim.request(`/api/threads/${thread}`, { method: 'PATCH', body: '{"network":true}' });

  const command = `echo half > half.txt; curl -sk https://${HOST}/sent; sleep 60`;
  const input = `use reborn_shell ${JSON.stringify({ command, network: true, timeout_s: 90 })}`;
  const response = await victim.post({ input, previous_response_id: previous, background: true });
  const { id } = (await response.json()) as { id: string };
  await waitFor('the request', async () => outside.seen.requests.length === 1);
  const heir = await cluster.start();
  await victim.kill();

  const done = await waitFor(
    'the turn to end',
    async () => {
      const found = await heir.get(id);
      return found.status === 'completed' ? found : undefined;
    },
    90_000,
  );
  expect(textOf(done)).toContain('interrupted: the outcome is unknown');
  expect(outside.seen.requests).toEqual(['GET /sent HTTP/1.1']);
  const files = (await (await heir.request(`/api/threads/${thread}/files`)).json()) as { files: unknown[] };
  expect(files.files).toEqual([]);
  const { entries } = (await (await heir.request('/api/audit?limit=20')).json()) as { entries: { action: string }[] };
  expect(entries.map(({ action }) => action)).toContain('network.open');
});
