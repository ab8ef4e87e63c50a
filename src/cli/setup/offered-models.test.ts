import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { describeOffer, findOfferedModels } from './offered-models.ts';

async function serve(status: number, body: string) {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
}

const ask = async (baseUrl: string) =>
  describeOffer(await findOfferedModels({ provider: 'openai-compatible', baseUrl, apiKey: 'sk-wrong' }));

test('a provider that is not there is not blamed for listing no models', async () => {
  const { baseUrl, close } = await serve(200, '');
  close();
  expect(await ask(baseUrl)).toBe(
    `The models could not be listed: the connection was refused. The address is ${baseUrl}/models.`,
  );
});

test.each([
  [401, '{}', 'The provider refused the key (401). Check it.'],
  [503, '', 'The models could not be listed: the provider answered 503.'],
  [200, 'no list', 'The provider lists no models.'],
  [200, '{"data":[{"id":"one"}]}', 'The provider offers 1 model.'],
  [200, '{"data":[{"id":"one"},{"id":"two"}]}', 'The provider offers 2 models.'],
])('the answer %s %s of a provider is described as what it is', async (status, body, said) => {
  const { baseUrl, close } = await serve(status, body);
  onTestFinished(() => void close());
  expect(await ask(baseUrl)).toContain(said);
});
