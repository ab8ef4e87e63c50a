import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createDns } from './public-dns.ts';

type Records = { readonly A?: readonly string[] | number; readonly AAAA?: readonly string[] | number };

const [SERVFAIL, NXDOMAIN] = [2, 3];

test('IPv4 and IPv6 addresses alternate', async () => {
  const { resolve } = await startNameServer({ A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'], AAAA: ['2001:db8::1'] });
  expect(await resolve('example.com')).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2', '192.0.2.3']);
});

test('one family is enough', async () => {
  const { resolve } = await startNameServer({ AAAA: ['2001:db8::1'] });
  expect(await resolve('example.com')).toEqual(['2001:db8::1']);

  const broken = await startNameServer({ A: ['192.0.2.1'], AAAA: SERVFAIL });
  expect(await broken.resolve('example.com')).toEqual(['192.0.2.1']);
});

test('a host that does not exist has no addresses', async () => {
  const { resolve } = await startNameServer({ A: NXDOMAIN, AAAA: NXDOMAIN });
  expect(await resolve('missing.example.com')).toEqual([]);
});

test('a host without addresses has none', async () => {
  const { resolve } = await startNameServer({});
  expect(await resolve('example.com')).toEqual([]);
});

test('a failing name server is not reported as a host that does not exist', async () => {
  const { resolve } = await startNameServer({ A: SERVFAIL, AAAA: NXDOMAIN });
  await expect(resolve('example.com')).rejects.toHaveProperty('code', 'ESERVFAIL');
});

test('only the name itself is looked up, never with a search domain', async () => {
  const { resolve, asked } = await startNameServer({ A: NXDOMAIN, AAAA: NXDOMAIN });
  await resolve('missing.example.com');
  expect(new Set(asked.map((name) => name.toLowerCase()))).toEqual(new Set(['missing.example.com']));
});

test('a lookup can be cancelled', async () => {
  const abort = new AbortController();
  const { resolve } = await startNameServer('silent', () => abort.abort());
  await expect(resolve('example.com', abort.signal)).rejects.toHaveProperty('code', 'ECANCELLED');
});

async function startNameServer(records: Records | 'silent', onQuestion = () => {}) {
  const asked: string[] = [];
  const server = createSocket('udp4').on('message', (question, from) => {
    asked.push(nameIn(question));
    onQuestion();
    if (records !== 'silent') server.send(answerTo(question, records), from.port, from.address);
  });
  await once(server.bind(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { resolve: createDns([`127.0.0.1:${server.address().port}`]), asked };
}

/** A question has one name, which starts after the 12 bytes of the header and ends with a zero. */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question.readUInt8(at) > 0; at += 1 + question.readUInt8(at))
    labels.push(question.toString('latin1', at + 1, at + 1 + question.readUInt8(at)));
  return labels.join('.');
}

function answerTo(question: Buffer, records: Records): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const type = question.readUInt16BE(end - 4) === 1 ? 'A' : 'AAAA';
  const found = records[type] ?? [];
  const addresses = typeof found === 'number' ? [] : found;

  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8);
  return Buffer.concat([header, question.subarray(12, end), ...addresses.map((address) => toRecord(type, address))]);
}

function toRecord(type: 'A' | 'AAAA', address: string): Buffer {
  const data = type === 'A' ? address.split('.').map(Number) : expand(address);
  return Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
}

function expand(address: string): number[] {
  const [left = [], right = []] = address
    .split('::')
    .map((half) => half.split(':').map((group) => Number(`0x${group}`)));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 255]);
}
