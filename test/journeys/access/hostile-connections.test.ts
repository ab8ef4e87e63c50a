import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../../support/fresh-home.ts';
import { spawnService } from '../../support/service.ts';

/** `IDLE=10000 HALF_BODIES=500` measures the figures in docs/trust/benchmarks.md. */
const IDLE = Number(process.env['IDLE'] ?? 1500);
const HALF_BODIES = Number(process.env['HALF_BODIES'] ?? 100);
const MAX_MEGABYTES = 400;

let home: Awaited<ReturnType<typeof freshHome>>;
let service: Awaited<ReturnType<typeof spawnService>>;
const connections: Socket[] = [];

beforeAll(async () => {
  home = await freshHome();
  service = await spawnService(home.env);
});

afterAll(async () => {
  for (const socket of connections) socket.destroy();
  await service?.kill();
  await home.remove();
});

/** Opens a connection and keeps it, whether or not the service does. */
async function hold(first: string, body = 0): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  connections.push(socket);
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.resume();
  if (first) socket.write(first);
  if (body) socket.write(Buffer.alloc(body, 'x'));
}

async function medianMs(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const begun = performance.now();
    const answer = await service.request('/api/status');
    await answer.text();
    expect(answer.status).toBe(200);
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[times.length / 2] ?? 0;
}

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test(`${IDLE} idle connections and ${HALF_BODIES} half-sent bodies cost little memory, slow no user and don't delay a stop`, async () => {
  await medianMs(); // warm
  const alone = await medianMs();
  const before = await residentMegabytes();

  for (let i = 0; i < IDLE; i += 100)
    await Promise.all(Array.from({ length: Math.min(100, IDLE - i) }, () => hold('')));
  const paths = ['/logout', '/nowhere', '/api/chat', '/api/v1/responses'];
  for (let i = 0; i < HALF_BODIES; i++) {
    const path = paths[i % paths.length];
    await hold(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 14680000\r\n\r\n`,
      1024 * 1024,
    );
  }
  const ratios: number[] = [];
  do ratios.push((await medianMs()) / alone);
  while (ratios.length < 3 && (ratios.at(-1) ?? 0) >= 2);
  const after = await residentMegabytes();
  console.log({ ratios, before, after });
  expect(Math.min(...ratios)).toBeLessThan(2);
  expect(after).toBeLessThan(MAX_MEGABYTES);

  const begun = performance.now();
  await service.kill('SIGTERM');
  console.log({ stoppedMs: performance.now() - begun });
  expect(performance.now() - begun).toBeLessThan(10_000);
}, 120_000);
