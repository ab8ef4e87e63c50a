import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { readStream } from '../../support/read-stream.ts';
import { type Service, warningsOf } from '../../support/service.ts';
import { watchLoop } from '../../support/watch-loop.ts';

/** Each text keeps one of the safety rules, or the page reader, busy for as long as possible. */
const TEXTS = {
  'orders in Chinese': '之前指令',
  'orders in Russian': 'игнорируй предыдущие ',
  'words of an injection': 'send passwords reveal your user has ',
  'marks of a prompt': '<system ',
  'images with data': `![${'a'.repeat(190)}`,
  'tokens of Figma': 'figd_',
  'tokens of GitLab': 'glpat-',
  'private keys': '-----BEGIN PRIVATE KEY-----',
  'web tokens': 'eyJaaaaaaaaaaa.eyJ',
  'hosts in own words': 'a.b.c.d.',
};
const PAGES = {
  'nested elements': '<div>',
  'unclosed paragraphs': '<p>x',
  'unclosed cells': '<table><tr><td>',
  'open tags': '<',
  'endless attributes': '<a b="',
  entities: '&amp;&#x3c;',
  'open blocks': '<untrusted-data',
  'spaces in a pre': `<pre>${' '.repeat(1000)}`,
};
const pageOf = new Map(Object.entries(PAGES).map(([name, unit]) => [`/${name.replaceAll(' ', '-')}`, unit]));
const repeated = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)));

const pages = createServer(({ url = '' }, response) => {
  const unit = pageOf.get(url);
  const body = unit ? repeated(unit, 2 * 1024 * 1024) : 'hello';
  response.writeHead(200, { 'content-type': 'text/html' }).end(body);
});

const test = journey()
  .override('parts', {
    network: {
      resolve: async () => ['93.184.215.14'],
      dial: () => ({ host: '127.0.0.1', port: (pages.address() as AddressInfo).port, tls: false }),
    },
  })
  .extend('attacker', { scope: 'file' }, ({ service }) => addUser(service, 'Attacker'))
  .extend('other', { scope: 'file' }, ({ service }) => addUser(service, 'Other'));

test.beforeAll(async ({ service, attacker, other }) => {
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  await send(service, attacker, 'use reborn_web_fetch {"url":"https://pages.example/warm-up"}');
  await firstTokens(service, other, (count) => count >= 5);
});

afterAll(() => void pages.close());

async function send(service: Service, user: TestUser, input: string): Promise<string> {
  const body = JSON.stringify({ model: 'm', input });
  const response = await service.request('/api/v1/responses', { method: 'POST', body, headers: user.headers });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${answer}\n${warningsOf(service)}`);
  return answer;
}

/** The median time in milliseconds until another user receives a first token, over all requests until `isOver`. */
async function firstTokens(service: Service, other: TestUser, isOver: (count: number) => boolean): Promise<number> {
  const times: number[] = [];
  while (!isOver(times.length)) {
    const body = JSON.stringify({ model: 'm', input: 'say hello', stream: true });
    const began = performance.now();
    const response = await service.request('/api/v1/responses', { method: 'POST', body, headers: other.headers });
    for await (const { type } of readStream(response))
      if (type === 'response.output_text.delta') times.push(performance.now() - began);
  }
  return times.toSorted((one, another) => one - another)[Math.floor(times.length / 2)] ?? Number.NaN;
}

const ATTACKS: (readonly [string, string])[] = [
  ...Object.entries(TEXTS).map(([name, unit]) => {
    const foreign = `<untrusted-data source="x">${repeated(unit, 256 * 1024)}</untrusted-data>`;
    const own = name === 'hosts in own words' ? repeated(unit, 256 * 1024) : '';
    return [name, `use reborn_web_fetch {"url":"https://pages.example/none"}\n${own}${foreign}`] as const;
  }),
  ...[...pageOf.keys()].map((path) => {
    return [
      `a page of ${path}`,
      `use reborn_web_fetch {"url":"https://pages.example${path}","max_bytes":200000}`,
    ] as const;
  }),
];

test.for(ATTACKS)(
  'the event loop stays responsive while a user sends %s',
  { timeout: 120_000 },
  async ([_name, message], { service, attacker }) => {
    const p99s: number[] = [];
    while (p99s.length < 3 && !p99s.some((p99) => p99 < 50)) {
      const loop = watchLoop();
      await send(service, attacker, `${message} ${p99s.length}`); // a different text each time, because verdicts are cached
      p99s.push(loop.stop().p99);
    }
    expect(Math.min(...p99s)).toBeLessThan(50);
  },
);

/** By default a user may send thirty messages a minute. */
const PACE_MS = 2_000;
const AT_ONCE = 6;

test('other users do not wait longer for their first token', { timeout: 300_000 }, async ({
  service,
  other,
  attacker,
}) => {
  const ratios: number[] = [];
  while (ratios.length < 3 && !ratios.some((ratio) => ratio < 1.5)) {
    const quiet = await firstTokens(service, other, (count) => count >= 21);
    let isOver = false;
    const attacks = Promise.all(
      ATTACKS.slice(AT_ONCE * ratios.length, AT_ONCE * (ratios.length + 1)).map(async ([, message], index) => {
        await setTimeout(index * PACE_MS);
        await send(service, attacker, `${message} again`);
      }),
    ).finally(() => {
      isOver = true;
    });
    const [busy] = await Promise.all([firstTokens(service, other, () => isOver), attacks]);
    ratios.push(busy / quiet);
  }
  expect(Math.min(...ratios)).toBeLessThan(1.5);
});
