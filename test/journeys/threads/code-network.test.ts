import { expect } from 'vitest';
import { openGate as openGateShape } from '#channels/gateway/gates/gate-shape.ts';
import { isPossible } from '../../sandbox/guest.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { networkOf } from '../../support/stand-in.ts';
import { startTlsStandIn } from '../../support/tls-stand-in.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOST = 'allowed.example';
const outside = isPossible ? await startTlsStandIn(HOST) : undefined;
const test = journey()
  .override('settings', { SANDBOX: 'auto', SANDBOX_HOSTS: HOST })
  .override('parts', { network: networkOf(outside?.port ?? 0) });

test.beforeEach(({ skip }) => skip(!isPossible));
test.afterAll(async () => outside?.close());

/** `-k`: the stand-in's certificate is its own; test/sandbox checks one. */
const FETCH = { command: `curl -sSk https://${HOST}/a; curl -sS https://evil.example/`, network: true };
const use = (given: object, tool = 'reborn_shell') => `use ${tool} ${JSON.stringify(given)}`;

async function chat(service: Service, message: string, thread?: string) {
  const sent = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message, ...(thread && { thread_id: thread }) }),
  });
  const { thread_id: id, message: text } = (await sent.json()) as { thread_id: string; message: string };
  return { id, text: (text ?? '').replace(/^result: /, '') };
}

const setNetwork = (service: Service, id: string, network: boolean) =>
  service.request(`/api/threads/${id}`, { method: 'PATCH', body: JSON.stringify({ network }) });

async function startThread(service: Service, network = true): Promise<string> {
  const { id } = await chat(service, 'say hello');
  if (network) await setNetwork(service, id, true);
  return id;
}

type Entry = { readonly action: string; readonly subject: string; readonly detail: Record<string, unknown> };
const auditOf = async (service: Service, subject: string): Promise<Entry[]> => {
  const { entries } = (await (await service.request('/api/audit?limit=100')).json()) as { entries: Entry[] };
  return entries.filter((entry) => entry.subject === subject).toReversed();
};

const gateOf = (service: Service, thread: string) =>
  waitFor('the question', async () => {
    const { gates } = (await (await service.request('/api/gates')).json()) as { gates: unknown[] };
    return gates.map((gate) => openGateShape.parse(gate)).find((gate) => gate.thread_id === thread);
  });
const answer = (service: Service, gate: string, given: string) =>
  service.request(`/api/gates/${gate}`, { method: 'POST', body: JSON.stringify({ answer: given }) });
const itemsOf = async (service: Service, thread: string) =>
  (await service.request(`/api/threads/${thread}/items`)).text();

test('a thread has no network until its owner allows it, and no longer once they end it', async ({ service }) => {
  const id = await startThread(service, false);
  expect((await chat(service, use(FETCH), id)).text).toContain('Unrecognized key: "network"');
  expect(await (await setNetwork(service, id, true)).json()).toMatchObject({ id, network: true });
  expect((await chat(service, use({ ...FETCH, network: 'yes' }), id)).text).toContain('expected boolean');
  await setNetwork(service, id, false);
  expect((await chat(service, use(FETCH), id)).text).toContain('Unrecognized key: "network"');
  expect(outside?.seen.requests).toEqual([]);
  expect((await auditOf(service, id)).map(({ action, detail }) => [action, detail])).toEqual([
    ['thread.network', { allowed: true }],
    ['thread.network', { allowed: false }],
  ]);
});

test('without hosts of the operator, no thread can have network', async ({ startAnother }) => {
  const without = await startAnother({ SANDBOX_HOSTS: '' });
  const { id } = await chat(without, 'say hello');
  const refused = await setNetwork(without, id, true);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('SANDBOX_HOSTS');
  expect((await setNetwork(without, id, false)).status).toBe(200);
  await without.close();
});

test('a call reaches the hosts of the list alone, and the audit log has what it reached and tried', async ({
  service,
}) => {
  const id = await startThread(service);
  const { text } = await chat(service, use(FETCH), id);
  expect(text).toContain(`served ${HOST}`);
  expect(text).toContain('CONNECT tunnel failed, response 403');
  expect(outside?.seen.requests).toEqual(['GET /a HTTP/1.1']);
  expect((await auditOf(service, id)).slice(1)).toMatchObject([
    { action: 'network.open', detail: { hosts: [HOST] } },
    {
      action: 'network.use',
      detail: {
        reached: [{ host: HOST, connections: 1, sentBytes: expect.any(Number), receivedBytes: expect.any(Number) }],
        refused: [{ target: 'evil.example:443', reason: 'this host is not allowed', attempts: 1 }],
      },
    },
  ]);
  expect((await chat(service, use({ command: 'env | grep -ci proxy' }), id)).text).toContain('0');
});

test('once there is something to send it asks, names the hosts, and can not be approved for always', async ({
  service,
}) => {
  const id = await startThread(service);
  await service.request(`/api/threads/${id}/files/mine.txt?origin=own`, { method: 'PUT', body: 'mine' });
  const before = outside?.seen.requests.length;
  await chat(
    service,
    use(
      {
        code: `open('got.txt', 'w').write('x'); import os; os.system(${JSON.stringify(FETCH.command)})`,
        network: true,
      },
      'reborn_python',
    ),
    id,
  );
  const gate = await gateOf(service, id);
  expect(gate.calls).toMatchObject([{ name: 'reborn_python', address: { kind: 'network', hosts: [HOST] } }]);
  expect(gate.always).toBeUndefined();
  expect((await answer(service, gate.id, 'always')).status).toBe(400);
  expect(outside?.seen.requests).toHaveLength(before ?? -1);

  expect((await answer(service, gate.id, 'approve')).status).toBe(202);
  await waitFor('the output', async () => (await itemsOf(service, id)).includes('+got.txt'));
  expect(outside?.seen.requests).toHaveLength((before ?? 0) + 1);
  // What came from outside is text by others, in the output and in the files.
  await chat(service, use(FETCH), id);
  expect((await gateOf(service, id)).situation).toBe('both');
});

test('an approval is for the files as they were: after a change it asks again', async ({ service }) => {
  const id = await startThread(service);
  const put = (body: string) => service.request(`/api/threads/${id}/files/run.sh`, { method: 'PUT', body });
  await put('echo mine');
  await chat(service, use({ command: 'bash run.sh', network: true }), id);
  const first = await gateOf(service, id);
  await put(`curl -sk https://${HOST}/stolen`);
  const before = outside?.seen.requests.length;
  await answer(service, first.id, 'approve');
  const second = await waitFor('another question', async () => {
    const open = await gateOf(service, id);
    return open.id !== first.id && open;
  });
  expect(outside?.seen.requests).toHaveLength(before ?? -1);
  await answer(service, second.id, 'deny');
});

test('a call that waits for its approval does not run once the owner has taken the network away', async ({
  service,
}) => {
  const id = await startThread(service);
  await service.request(`/api/threads/${id}/files/a.txt`, { method: 'PUT', body: 'a' });
  await chat(service, use(FETCH), id);
  const gate = await gateOf(service, id);
  await setNetwork(service, id, false);
  const before = outside?.seen.requests.length;
  await answer(service, gate.id, 'approve');
  await waitFor('the refusal', async () => (await itemsOf(service, id)).includes('Unrecognized key'));
  expect(outside?.seen.requests).toHaveLength(before ?? -1);
});

test('a fork begins without network', async ({ service }) => {
  const id = await startThread(service);
  const fork = (await (
    await service.request(`/api/threads/${id}/fork`, { method: 'POST', body: '{}' })
  ).json()) as object;
  expect(fork).not.toHaveProperty('network');
});
