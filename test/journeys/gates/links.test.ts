import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';

const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.headers.host}${request.url}`);
  if (request.url === '/moved') return response.writeHead(302, { location: 'https://inside.example/x.png' }).end();
  const isPage = request.url === '/page';
  if (request.url === '/drawing.svg')
    return response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg onload="alert(1)"/>');
  return response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'image/png' }).end('bytes');
});

/** Every dial goes to the server on loopback. */
const network = {
  resolve: async (host: string) => (host === 'inside.example' ? ['192.168.0.9'] : ['93.184.215.14']),
  dial: () => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false }),
};

const test = journey().override('parts', { network });

const BYTES = Buffer.from('bytes').toString('base64');
const inputWith = (...parts: object[]) => [
  { role: 'user', content: [{ type: 'input_text', text: 'say seen' }, ...parts] },
];
const image = (image_url: string) => ({ type: 'input_image', image_url });

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => void (requests.length = 0));

test('an image and a file by URL become part of the message', async ({ service }) => {
  const file = { type: 'input_file', file_url: 'https://files.example/report.png' };
  const response = await service.ask(inputWith(image('https://files.example/a.png'), file));
  const items = await service.request(`/api/v1/responses/${response.id}/input_items`);

  expect(await items.json()).toMatchObject({
    data: [
      {
        content: [
          { type: 'input_text' },
          { type: 'input_image', image_url: `data:image/png;base64,${BYTES}` },
          { type: 'input_file', file_data: `data:image/png;base64,${BYTES}`, filename: 'report.png' },
        ],
      },
    ],
  });
  expect(requests.toSorted()).toEqual(['files.example/a.png', 'files.example/report.png']);
});

test('chat completions take an image by URL', async ({ service }) => {
  const content = [
    { type: 'text', text: 'say seen' },
    { type: 'image_url', image_url: { url: 'https://files.example/a.png', detail: 'low' } },
  ];
  const answer = await service.request('/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  });

  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'seen' } }] });
  expect(requests).toEqual(['files.example/a.png']);
});

test.for([
  ['http://files.example/a.png', /^Send an https URL, or the bytes as a data URL/, 0],
  ['ftp://files.example/a.png', /^Send an https URL, or the bytes as a data URL/, 0],
  ['https://inside.example/x.png', /has no address, or one that is not public/, 0],
  ['https://files.example/moved', /has no address, or one that is not public/, 1],
  ['https://files.example/page', /text\/html, which is not an image/, 1],
] as const)('%s is refused with the field', async ([url, text, asked], { service }) => {
  const answer = await service.post({ input: inputWith(image(url)) });

  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { error: { message: string; param: string } };
  expect(error).toMatchObject({ code: 'invalid_request', param: 'input[0].content[1].image_url' });
  expect(error.message).toMatch(text);
  expect(error.message).not.toContain('192.168');
  expect(requests).toHaveLength(asked);
});

test('nothing is fetched for a request that is refused anyway', async ({ service }) => {
  const answer = await service.post({ input: inputWith(image('https://files.example/a.png')), temperature: 3 });

  expect(await answer.json()).toMatchObject({ error: { param: 'temperature' } });
  expect(requests).toEqual([]);
});

test('an estimate of the tokens fetches nothing', async ({ service }) => {
  const body = JSON.stringify({ model: 'm', input: inputWith(image('https://files.example/a.png')) });
  const answer = await service.request('/v1/responses/input_tokens', { method: 'POST', body });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { param: 'input[0].content[1].image_url', message: expect.stringMatching(/^URLs are not fetched here/) },
  });
  expect(requests).toEqual([]);
});

test('a repeated request with the same key is known by what was sent, not by what was fetched', async ({ service }) => {
  const body = JSON.stringify({ model: 'm', input: inputWith(image('https://files.example/a.png')) });
  const ask = async () => {
    const headers = { 'idempotency-key': 'linked' };
    return (await (await service.request('/api/v1/responses', { method: 'POST', body, headers })).json()) as object;
  };

  expect(await ask()).toEqual(await ask());
});

test('an image that an answer names is fetched for its owner, and only for them', async ({ service }) => {
  const said = [
    '![a](https://files.example/a.png?x=1&amp;y=%C3%A6)',
    '![b](https://files.example/page)',
    '![c](https://files.example/drawing.svg)',
    '![d](https://files.example/moved)',
    '![e](http://files.example/plain.png)',
  ].join(' ');
  const chat = await service.request('/api/chat', { method: 'POST', body: JSON.stringify({ message: `say ${said}` }) });
  const { thread_id: threadId } = (await chat.json()) as { thread_id: string };
  const listed = await service.request(`/api/threads/${threadId}/items`);
  const { items } = (await listed.json()) as { items: { id: string; role: string }[] };
  const answer = items.find(({ role }) => role === 'assistant')?.id;
  const pathOf = (url: string) => `/api/threads/${threadId}/items/${answer}/image?url=${encodeURIComponent(url)}`;
  const load = (url: string) => service.request(pathOf(url));
  requests.length = 0;

  const loaded = await load('https://files.example/a.png?x=1&y=%C3%A6');
  expect(await loaded.text()).toBe('bytes');
  expect(Object.fromEntries(loaded.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=3600',
  });
  expect(requests).toEqual(['files.example/a.png?x=1&y=%C3%A6']);

  for (const [url, words] of [
    ['https://files.example/other.png', 'does not have this image'],
    ['https://files.example/page', 'which is not an image'],
    ['https://files.example/drawing.svg', 'PNG, JPEG'],
    ['https://files.example/moved', 'could not be fetched'],
    ['http://files.example/plain.png', 'could not be fetched'],
  ] as const) {
    const refused = await load(url);
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: { param: string; message: string } };
    expect(error).toMatchObject({ param: 'url', message: expect.stringContaining(words) });
  }
  expect(requests).not.toContain('files.example/other.png');

  const stranger = await addUser(service, 'Ann');
  requests.length = 0;
  const foreign = await service.request(pathOf('https://files.example/a.png?x=1&y=%C3%A6'), {
    headers: stranger.headers,
  });
  expect(foreign.status).toBe(404);
  expect(requests).toEqual([]);
});
