import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import { activityRoute } from '#channels/gateway/health/activity-route.ts';
import { replicasRoute } from '#channels/gateway/health/replicas-route.ts';
import { getSettings, testModel } from '#channels/gateway/models/settings-routes.ts';
import { installTool, listTools } from '#channels/gateway/tools/tool-routes.ts';
import { meRoute } from '#channels/gateway/users/me-route.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { openSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

const activity = activityRoute.responses[200].json;
const replicaList = replicasRoute.responses[200].json;
const modelTestResult = testModel.responses[200].json;
const wireSettings = getSettings.responses[200].json;
const toolList = listTools.responses[200].json;
const toolPreview = installTool.responses[200].json;
const me = meRoute.responses[200].json;
const CAPABILITIES = JSON.stringify({
  version: '1.2.0',
  http: {
    allowlist: [
      { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET'] },
      { host: 'api.example.com', path_prefix: '/v1/send', methods: ['GET', 'POST'] },
    ],
  },
  setup: { required_secrets: [{ name: 'probe_key', prompt: 'The key of the probe' }] },
});

const test = journey()
  .extend('webFolder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const webFolder = await mkdtemp(path.join(tmpdir(), 'reborn-web-'));
    onCleanup(() => rm(webFolder, { recursive: true }));
    await mkdir(path.join(webFolder, 'assets'));
    await writeFile(path.join(webFolder, 'index.html'), '<!doctype html><title>app</title>');
    await writeFile(path.join(webFolder, 'assets/index-abc123.js'), 'export {};');
    await writeFile(path.join(webFolder, 'assets/index-abc123.js.br'), brotliCompressSync('export {};'));
    await writeFile(path.join(webFolder, 'assets/index-abc123.js.gz'), gzipSync('export {};'));
    await writeFile(path.join(webFolder, 'favicon.svg'), '<svg/>');
    return webFolder;
  })
  .override('parts', ({ webFolder }) => ({ webFolder }));

let wasm: string;
beforeAll(async () => {
  const built = await buildTool('test/fixtures/tools/probe');
  wasm = (await readFile(built.path)).toString('base64');
});

type Headers = Record<string, string>;

const send = (service: Service, method: string, route: string, body?: object, headers: Headers = {}) =>
  service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });

async function read<T>(schema: z.ZodType<T>, response: Promise<Response>, status = 200): Promise<T> {
  const answer = await response;
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status });
  return schema.parse(JSON.parse(text));
}

test('a tool is previewed, installed, given a secret that is never shown, and removed', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const upload = { name: 'probe', wasm, capabilities: CAPABILITIES };
  const preview = await read(toolPreview, send(service, 'POST', '/api/tools', { ...upload, dry_run: true }));
  expect(preview).toMatchObject({ name: 'probe', version: '1.2.0', installed: false, replaces: null });
  expect(preview.capabilities).toContainEqual({ text: 'may GET api.example.com/v1/', dangerous: false });
  expect(preview.capabilities).toContainEqual({ text: 'may GET and POST api.example.com/v1/send', dangerous: true });
  expect((await read(toolList, send(service, 'GET', '/api/tools'))).tools.map(({ name }) => name)).not.toContain(
    'probe',
  );

  expect(await (await send(service, 'POST', '/api/tools', { ...upload, reads: true })).json()).toMatchObject({
    error: { message: expect.stringContaining('allow more than GET and HEAD') },
  });
  await read(toolPreview, send(service, 'POST', '/api/tools', upload), 201);
  expect((await send(service, 'POST', '/api/tools', upload)).status).toBe(409);
  await read(toolPreview, send(service, 'POST', '/api/tools', { ...upload, replace: true }), 201);
  // At once, because it was installed here; other replicas see it within a second.
  const listed = async (headers: Headers) => {
    const { tools } = await read(toolList, send(service, 'GET', '/api/tools', undefined, headers));
    const found = tools.find(({ name }) => name === 'probe');
    if (!found) throw new Error('The tool is not listed.');
    return found;
  };
  expect(await listed(ann.headers)).toMatchObject({
    source: 'installed',
    version: '1.2.0',
    secrets: [{ name: 'probe_key', stored: false }],
  });

  const secret = { name: 'probe_key', value: 'very-secret-value' };
  expect(
    (await send(service, 'POST', '/api/tools/probe/secret', { ...secret, for: 'everyone' }, ann.headers)).status,
  ).toBe(403);
  expect(
    (await send(service, 'POST', '/api/tools/probe/secret', { ...secret, name: 'other' }, ann.headers)).status,
  ).toBe(400);
  expect((await send(service, 'POST', '/api/tools/probe/secret', secret, ann.headers)).status).toBe(204);
  const hers = await listed(ann.headers);
  expect(hers.secrets).toMatchObject([{ stored: true }]);
  expect((await listed({})).secrets).toMatchObject([{ stored: false }]); // a user's secret is visible to that user only
  const audit = await (await send(service, 'GET', '/api/audit')).text();
  expect(audit).toContain('tool.install');
  expect(audit + JSON.stringify(hers)).not.toContain('very-secret-value');

  expect((await send(service, 'DELETE', '/api/tools/probe')).status).toBe(204);
  expect((await send(service, 'DELETE', '/api/tools/probe')).status).toBe(404);
});

test('an invalid tool is refused with an explanation', async ({ service }) => {
  const refuse = async (body: object) => {
    const response = await send(service, 'POST', '/api/tools', { name: 'x', wasm, ...body });
    expect(response.status).toBe(400);
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  expect(await refuse({ wasm: 'AAAA' })).toMatch(/\w/);
  expect(await refuse({ wasm: 'not base64!' })).toBe('wasm must be the component in base64.');
  expect(await refuse({ capabilities: '{' })).toContain('The capabilities file must be fixed');
  expect(await refuse({ name: 'reborn_time' })).toContain('belongs to Reborn itself');
});

test('model routes can be changed and tested, and no key is ever shown', async ({ service, model }) => {
  const route = { provider: 'openai-compatible', name: 'scripted', base_url: model.url };
  const changed = await read(wireSettings, send(service, 'PATCH', '/api/settings', { model_routes: { fast: route } }));
  expect(changed.model_routes).toEqual({ fast: route });
  expect(await read(wireSettings, send(service, 'GET', '/api/settings'))).toEqual(changed);
  const tried = (body: object) => read(modelTestResult, send(service, 'POST', '/api/settings/test-model', body));
  expect(await tried({})).toMatchObject({ ok: true, message: 'It answered: ok' });
  expect(await tried({ route: 'fast' })).toMatchObject({ ok: true, model: 'scripted' });
  expect(await tried({ model: { provider: 'openai', name: 'x' } })).toMatchObject({
    ok: false,
    message: expect.stringContaining('no key'),
  });
  expect((await send(service, 'POST', '/api/settings/test-model', { route: 'none' })).status).toBe(400);
  const lacking = { model_routes: { a: { provider: 'openai-compatible', name: 'x' } } };
  expect((await send(service, 'PATCH', '/api/settings', lacking)).status).toBe(400);
});

test('me, replicas and metrics report the current state', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  expect(await read(me, send(service, 'GET', '/api/me', undefined, ann.headers))).toMatchObject({
    user_id: ann.id,
    name: expect.stringMatching(/^Ann/),
    role: 'member',
    model: { demo: false, context_tokens: 128_000 },
  });
  expect(await read(me, send(service, 'GET', '/api/me'))).toMatchObject({ user_id: 'operator', name: 'Operator' });
  expect((await read(replicaList, send(service, 'GET', '/api/replicas'))).replicas).toMatchObject([{ self: true }]);
  await send(service, 'POST', '/api/chat', { message: 'say x' });
  await send(service, 'POST', '/api/chat', { message: 'break 400' });
  const { minutes } = await read(activity, send(service, 'GET', '/api/activity'));
  expect(minutes.at(-1)).toMatchObject({ wait_ms: expect.any(Number), duration_ms: expect.any(Number) });
  expect(minutes.reduce((sum, minute) => sum + minute.failed, 0)).toBeGreaterThanOrEqual(1);
  const stream = await send(service, 'POST', '/api/v1/responses', {
    model: 'm',
    input: 'count 300 every 50',
    stream: true,
  });
  const socket = await openSocket(service.url);
  const open = async () => {
    const figures = await (await send(service, 'GET', '/metrics')).text();
    return [/^reborn_streams (\d+)$/m, /^reborn_websockets (\d+)$/m].map((line) => Number(line.exec(figures)?.[1]));
  };
  expect(await open()).toEqual([1, 1]);
  await stream.body?.cancel();
  socket.close();
  await waitFor('both counts to drop to zero', async () => (await open()).every((count) => count === 0));
  const metrics = await (await send(service, 'GET', '/metrics')).text();
  expect(metrics).toMatch(/^reborn_turns_ended_last_hour\{status="completed"\} [1-9]/m);
  expect(metrics).toMatch(/^reborn_http_responses_total\{server="gateway",status="200"\} [1-9]/m);
  for (const line of metrics.trim().split('\n'))
    expect(line).toMatch(/^(?:|# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
});

test('the app has a strict content policy, uncached pages, immutable assets, and 404 for unknown paths', async ({
  service,
}) => {
  const page = (route: string) => fetch(service.url + route, { headers: { accept: 'text/html' } });
  for (const route of ['/', '/threads/1', '/settings']) {
    const response = await page(route);
    expect(await response.text()).toContain('<title>app</title>');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  }
  const asset = await fetch(`${service.url}/assets/index-abc123.js`);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-type')).toContain('javascript');
  expect((await fetch(`${service.url}/favicon.svg`)).headers.get('cache-control')).toBe('no-cache');
  expect((await fetch(`${service.url}/assets/index-abc124.js`)).headers.get('cache-control')).toBeNull();
  for (const route of [
    '/api/nothing',
    '/assets/none.js',
    '/assets/index-abc123.js.br',
    '/assets/..%2f..%2fpackage.json',
    '/v1/none',
  ])
    expect({ route, status: (await page(route)).status }).toEqual({ route, status: 404 });
  expect((await page('/assets/%00')).status).toBe(400);
});

test.for([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['identity', null],
  ['br;q=0, gzip;q=0', null],
] as const)('with Accept-Encoding "%s", an asset is sent as %s', async ([accepted, encoding], { service }) => {
  const asset = await fetch(`${service.url}/assets/index-abc123.js`, { headers: { 'accept-encoding': accepted } });
  expect(asset.headers.get('content-encoding')).toBe(encoding);
  expect(asset.headers.get('content-type')).toContain('javascript');
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('vary')).toContain('accept-encoding');
  expect(await asset.text()).toBe('export {};');
});

test('the sign-in page belongs to the app, and opening a sign-in link does not sign in by itself', async ({
  service,
}) => {
  for (const route of ['/login', '/login?code=wrong', '/login?token=wrong']) {
    const response = await fetch(service.url + route, { headers: { accept: 'text/html' } });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).toContain('<title>app</title>');
  }
});

test('the reference page runs only its own script', async ({ service }) => {
  const response = await fetch(`${service.url}/docs`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/script-src 'sha256-/);
  expect(await response.text()).not.toMatch(/(?:src|href)="https?:/);
});
