import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { networkTo, openEgress, PUBLIC, startStandIn } from '#egress/stand-in.test-support.ts';
import { createLinkFetcher, type Link } from './fetch-links.ts';

const image = (url: string, index = 0): Link => ({ url, kind: 'image', param: `input[0].content[${index}].image_url` });
const file = (url: string): Link => ({ url, kind: 'file', param: 'input[0].content[0].file_url' });

const write = (socket: Socket, head: string, body: string | Buffer = '') => {
  socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.end(body);
};

/** A network where every host has a public address, except those that end with `inside.example`. */
async function fetcherFor(answer: (socket: Socket, request: string) => void, timeoutMs?: number) {
  const standIn = await startStandIn(answer);
  const resolve = async (host: string) => [host.endsWith('inside.example') ? '10.0.0.7' : PUBLIC];
  return { standIn, fetchLinks: createLinkFetcher(openEgress(networkTo(standIn.port, { resolve })), timeoutMs) };
}

const refusal = (text: RegExp, param = 'input[0].content[0].image_url') =>
  expect.objectContaining({
    name: 'InvalidRequest',
    code: 'invalid_request',
    param,
    message: expect.stringMatching(text),
  });

test('links are fetched in their order, without credentials, and have the declared type', async () => {
  const { standIn, fetchLinks } = await fetcherFor((socket, request) =>
    request.startsWith('GET /a ')
      ? write(socket, '200 OK\r\nContent-Type: image/PNG; q=1', 'aaa')
      : write(socket, '200 OK\r\nContent-Type: text/plain', 'bbb'),
  );

  expect(await fetchLinks([image('https://a.example/a'), file('https://b.example/b')])).toEqual([
    { mediaType: 'image/png', base64: Buffer.from('aaa').toString('base64') },
    { mediaType: 'text/plain', base64: Buffer.from('bbb').toString('base64') },
  ]);
  expect(standIn.requests.join('')).not.toMatch(/authorization|cookie/i);
});

test.for([
  ['https://a.example/x.PNG?y=1', 'application/octet-stream', 'image/png'],
  ['https://a.example/x.jpg', '', 'image/jpeg'],
  ['https://a.example/x', 'image/webp', 'image/webp'],
] as const)('the type of %s, declared as "%s", is %s', async ([url, declared, mediaType]) => {
  const { fetchLinks } = await fetcherFor((socket) => write(socket, `200 OK\r\nContent-Type: ${declared}`, 'x'));

  expect(await fetchLinks([image(url)])).toMatchObject([{ mediaType }]);
});

test('redirects are followed, and each address is checked', async () => {
  const { standIn, fetchLinks } = await fetcherFor((socket, request) => {
    if (request.startsWith('GET /good ')) return write(socket, '302 Found\r\nLocation: https://b.example/image');
    if (request.startsWith('GET /bad ')) return write(socket, '302 Found\r\nLocation: https://db.inside.example/image');
    if (request.startsWith('GET /plain ')) return write(socket, '302 Found\r\nLocation: http://b.example/image');
    if (request.startsWith('GET /loop ')) return write(socket, '302 Found\r\nLocation: /loop');
    return write(socket, '200 OK\r\nContent-Type: image/png', 'x');
  });

  expect(await fetchLinks([image('https://a.example/good')])).toHaveLength(1);
  const asked = standIn.requests.length;
  await expect(fetchLinks([image('https://a.example/bad')])).rejects.toThrow(refusal(/not public/));
  expect(standIn.requests).toHaveLength(asked + 1);
  await expect(fetchLinks([image('https://a.example/plain')])).rejects.toThrow(refusal(/Only https/));
  await expect(fetchLinks([image('https://a.example/loop')])).rejects.toThrow(refusal(/redirects more than 5 times/));
});

test.for([
  [
    'https://db.inside.example/x',
    /^The URL could not be fetched\. The host db\.inside\.example has no address, or one that is not public/,
  ],
  ['https://10.0.0.7/x', /IP address/],
  ['https://localhost/x', /not a full name/],
  ['https://ann:secret@a.example/x', /user name or password/],
  ['https://a.example:8443/x', /port 8443/],
  [`https://a.example/${'x'.repeat(5000)}`, /4096 characters/],
] as const)('%s is refused without a request', async ([url, text]) => {
  const { standIn, fetchLinks } = await fetcherFor((socket) => write(socket, '200 OK', 'x'));
  const refused = await fetchLinks([image(url)]).catch((error: unknown) => error);

  expect(refused).toEqual(refusal(text));
  expect((refused as InvalidRequest).message).not.toContain('10.0.0.7');
  expect(standIn.requests).toEqual([]);
});

test.for([
  ['404 Not Found\r\nContent-Type: image/png', 'x', /status 404/],
  ['200 OK\r\nContent-Type: text/html', '<html>', /text\/html, which is not an image/],
  ['200 OK\r\nContent-Type: image/png', '', /without content/],
] as const)('an answer "%s" is refused', async ([head, body, text]) => {
  const { fetchLinks } = await fetcherFor((socket) => write(socket, head, body));

  await expect(fetchLinks([image('https://a.example/x')])).rejects.toThrow(refusal(text));
});

test('a slow server is given up in time', async () => {
  const { fetchLinks } = await fetcherFor((socket) => socket.write('HTTP/1.1 200 OK\r\n'), 200);

  await expect(fetchLinks([image('https://a.example/x')])).rejects.toThrow(refusal(/did not answer within/));
});

test('an endless body is cut at 10 MiB', async () => {
  const pour = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n');
    const piece = Buffer.alloc(256 * 1024);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  };
  const { standIn, fetchLinks } = await fetcherFor(pour);

  await expect(fetchLinks([image('https://a.example/x')])).rejects.toThrow(refusal(/larger than 10485760 bytes/));
  await expect.poll(() => standIn.open.size).toBe(0);
});

test('several bodies are cut at 14 MiB together', async () => {
  const body = Buffer.alloc(8 * 1024 * 1024);
  const { standIn, fetchLinks } = await fetcherFor((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
  const both = [image('https://a.example/x', 0), image('https://a.example/y', 1)];

  await expect(fetchLinks(both)).rejects.toThrow(refusal(/at most 14 MiB together/, expect.any(String) as string));
  await expect.poll(() => standIn.open.size).toBe(0);
});

test('the eleventh link is refused', async () => {
  const { standIn, fetchLinks } = await fetcherFor((socket) => write(socket, '200 OK', 'x'));
  const links = Array.from({ length: 11 }, (_, index) => image('https://a.example/x', index));

  await expect(fetchLinks(links)).rejects.toThrow(InvalidRequest);
  await expect(fetchLinks(links)).rejects.toThrow(refusal(/at most 10 URLs/, 'input[0].content[10].image_url'));
  expect(standIn.requests).toEqual([]);
});
