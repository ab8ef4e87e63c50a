import { expect } from 'vitest';
import type { z } from 'zod';
import type { getMcpServer } from '#channels/gateway/mcp/mcp-routes.ts';
import { checkMcpServer } from '#tools/mcp/check-server.ts';
import { parseCatalogue } from '../../../src/agent/administration/mcp/catalogue/catalogue.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { startMcpOAuthServer } from '../../support/mcp-oauth-server.ts';
import { startMcpServer } from '../../support/mcp-server.ts';
import { namesLeadTo } from '../../support/names-lead-to.ts';
import { runReborn } from '../../support/run-reborn.ts';
import type { Service } from '../../support/service.ts';

type WireServer = z.infer<(typeof getMcpServer.responses)[200]['json']>;

const KEY = 'key-of-ann-9f31c7';

const test = journey()
  /** Stands in for GitHub and Exa. */
  .extend('plain', { scope: 'file' }, async ({}, { onCleanup }) => {
    const plain = await startMcpServer();
    onCleanup(() => plain.close());
    return plain;
  })
  .extend('linear', { scope: 'file' }, async ({}, { onCleanup }) => {
    const linear = await startMcpOAuthServer();
    linear.callItself('https://mcp.linear.app');
    onCleanup(() => linear.close());
    return linear;
  })
  .override('parts', ({ plain, linear }) => ({
    network: namesLeadTo({
      'mcp.linear.app': linear.port,
      'mcp.exa.ai': plain.port,
      'api.githubcopilot.com': plain.port,
    }),
  }))
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'));

async function send<T>(service: Service, method: string, route: string, body?: object, who?: TestUser): Promise<T> {
  const init = { method, headers: { ...who?.headers }, ...(body && { body: JSON.stringify(body) }) };
  const response = await service.request(route, init);
  const text = await response.text();
  expect({ text, isFine: response.ok }).toMatchObject({ isFine: true });
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function getCatalogue(service: Service, who?: TestUser) {
  const { servers } = await send<{ servers: unknown }>(service, 'GET', '/api/mcp-catalogue', undefined, who);
  return parseCatalogue(servers);
}

test('every entry of the list passes the checks for a server that a user adds', async ({ service, ann }) => {
  const servers = await getCatalogue(service, ann);
  expect(servers.map(({ id }) => id)).toEqual([...new Set(servers.map(({ id }) => id))].toSorted());
  for (const { id, url, auth, header, own_client } of servers) {
    const headers = header && { [header.name]: header.value.replace('{secret}', KEY) };
    const trust = { privateNetwork: false, trustAnnotations: false };
    expect(() => checkMcpServer({ name: id, url, headers: headers ?? {}, ...trust }, false)).not.toThrow();
    expect({ id, hasHeader: header !== null }).toEqual({ id, hasHeader: auth === 'token' });
    expect(auth === 'oauth' || !own_client).toBe(true);
  }
});

test('an entry is added with what the list says: a sign-in in the browser, or a secret in its header', async ({
  service,
  ann,
  plain,
  linear,
}) => {
  const servers = await getCatalogue(service, ann);
  const entry = (id: string) => servers.find((each) => each.id === id);
  const add = (id: string, headers = {}) =>
    send<WireServer>(service, 'POST', '/api/mcp', { name: id, url: entry(id)?.url, headers }, ann);

  expect(await add('linear')).toMatchObject({ sign_in: 'needed', issuer: 'https://mcp.linear.app', tools: [] });
  const { url } = await send<{ url: string }>(service, 'POST', '/api/mcp/linear/sign-in', undefined, ann);
  const asked = new URL(url);
  expect(asked.origin).toBe('https://mcp.linear.app');
  expect(asked.searchParams.get('resource')).toBe(entry('linear')?.url);
  expect(linear.counts.registered).toBe(1);

  const { name = '', value = '' } = entry('github')?.header ?? {};
  expect(await add('github', { [name]: value.replace('{secret}', KEY) })).toMatchObject({
    headers: ['authorization'],
    tools: [{ name: 'echo', read_only: false, reviewed: true }],
  });
  expect(plain.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test('the command adds a well-known server by its id, and asks for the secret only', async ({ service, plain }) => {
  const mcp = (words: string[], input = '') => runReborn(['mcp', ...words], { env: service.remote, input });
  const open = await mcp(['add', 'exa']);
  expect(open).toMatchObject({ code: 0, stdout: expect.stringContaining('exa__echo') });
  expect(open.stderr).toContain('Exa: https://mcp.exa.ai/mcp, not checked.');
  expect(await mcp(['add', 'github'], `${KEY}\n`)).toMatchObject({ code: 0 });
  expect(plain.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect((await mcp(['add', 'linear'])).stdout).toContain('reborn mcp signin linear');

  expect(await mcp(['add', 'asana'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--client-id') });
  expect(await mcp(['add', 'nowhere'])).toMatchObject({ code: 1, stderr: expect.stringContaining('asana, atlassian') });
});
