import { expect } from 'vitest';
import { gatewayRoutes } from '#channels/gateway/gateway-routes.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, WEBHOOK_SECRET } from '../../support/service.ts';
import { openSocket } from '../../support/socket.ts';

const NUL = 'a\u0000b';
const ENCODED = encodeURIComponent(NUL);
const NO_ID = '00000000-0000-7000-8000-000000000000';

const test = journey()
  .override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET })
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'));

const ask = (service: Service, method: string, route: string, body?: object) =>
  service.request(route, { method, ...(body && { body: JSON.stringify(body) }), headers: {} });

test('a null character in a path parameter is refused, naming the parameter', async ({ service }) => {
  const routes = service.routes.filter((route) => /^\S+ \/(api|v1)\/.*[:*]/.test(route));
  expect(routes.length).toBeGreaterThan(20);
  const answers = await Promise.all(
    routes.map(async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const init = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
      const answer = await service.request(path.replaceAll(/:\w+|\*/g, ENCODED), { method, ...init });
      const { error } = (await answer.json()) as { error: { param: string } };
      return { route, status: answer.status, isNamed: typeof error.param === 'string' };
    }),
  );
  expect(answers).toEqual(routes.map((route) => ({ route, status: 400, isNamed: true })));
});

test('a null character in a query parameter is refused, naming the parameter', async ({ service }) => {
  const queries = gatewayRoutes.flatMap(({ method, path, query }) =>
    Object.keys(query?.shape ?? {}).map((name) => ({ method, path, name })),
  );
  expect(queries.length).toBeGreaterThan(10);
  for (const { method, path, name } of queries) {
    const answer = await ask(service, method.toUpperCase(), `${path.replaceAll(/\{\w+\}/g, NO_ID)}?${name}=${ENCODED}`);
    expect([path, answer.status, await answer.json()]).toMatchObject([path, 400, { error: { param: name } }]);
  }
});

test.for<[string, string, object, string]>([
  ['POST', '/api/users', { name: NUL, role: 'member' }, 'name'],
  ['POST', '/api/users', { name: 'x', email: `${NUL}@example.com`, role: 'member' }, 'email'],
  ['POST', '/api/users/@/tokens', { name: NUL }, 'name'],
  ['POST', '/api/tools/x/secret', { name: NUL, value: 'x' }, 'name'],
  ['POST', '/api/tools/x/secret', { name: 'x', value: NUL }, 'value'],
  ['POST', `/api/gates/${NO_ID}`, { answer: 'deny', reason: NUL }, 'reason'],
  ['POST', `/api/gates/${NO_ID}`, { answer: 'approve', user_id: NUL }, 'user_id'],
  ['PUT', '/api/memory/note', { text: NUL }, 'text'],
  ['PATCH', '/api/settings', { model_routes: { [NUL]: { provider: 'demo', name: 'x' } } }, 'model_routes'],
  ['PATCH', '/api/settings', { model_routes: { a: { provider: 'demo', name: NUL } } }, 'model_routes.a.name'],
])('%s %s refuses a null character in %j', async ([method, route, body, param], { service, ann }) => {
  const answer = await ask(service, method, route.replace('@', ann.id), body);

  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_request', param } }]);
});

test('a message may contain a null character on every channel', async ({ service }) => {
  const message = `say ${NUL}`;
  expect((await ask(service, 'POST', '/api/chat', { message })).status).toBe(200);
  expect((await service.post({ input: message })).status).toBe(200);
  expect((await service.webhook.post({ message, metadata: { [NUL]: NUL } })).status).toBe(200);
  const socket = await openSocket(service.url);
  socket.send({ type: 'send', message });
  expect(await socket.first('accepted')).toMatchObject({ type: 'accepted' });
  socket.send({ type: 'gate', gate_id: NO_ID, answer: 'deny', reason: NUL });
  expect((await socket.first('error')).error).toMatchObject({ code: 'invalid_request', param: 'reason' });
});
