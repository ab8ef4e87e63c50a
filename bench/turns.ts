import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage } from '../test/package/installed.ts';
import { findFreePort } from '../test/support/free-port.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { SETTINGS, TOKEN } from '../test/support/service.ts';
import { cpuOf, findPostmaster, postgresCpu } from './process-cpu.ts';

/**
 * The cost of a start and of a turn: the packed program compared with a minimal hand-written server (hand-written.ts).
 * They alternate, so that a busy machine affects both alike: compare the ratios. CPU time is that of Node and, for the
 * service, of PostgreSQL. `npm run bench:turns -- 2` measures for 2 seconds at a time instead of 4.
 */
const SECONDS = Number(process.argv[2] ?? 4);
const ROUNDS = 3;
const AT_ONCE = [1, 8, 32];
const STARTS = 3;
const FIRST_TOKENS = 60;

const WORDS = Array.from({ length: 64 }, (_, index) => `word${index} `);
const [model, home, installation] = await Promise.all([
  startScriptedModel({ decide: () => ({ pieces: WORDS }) }),
  freshHome(),
  installPackage(),
]);
const port = await findFreePort();
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

type Server = { readonly url: string; readonly headers: Record<string, string>; cpu(): number };

/** One answer: the time until its first and its last word. */
function ask({ url, headers }: Pick<Server, 'url' | 'headers'>, stream = false): Promise<{ first: number }> {
  const started = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<{ first: number }>();
  const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } });
  sent.on('error', reject).on('response', (response) => {
    let text = '';
    let first = 0;
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (first === 0 && text.includes('word0')) first = performance.now() - started;
    });
    response.on('end', () =>
      text.includes('word63') ? resolve({ first }) : reject(new Error(`${response.statusCode}: ${text.slice(0, 200)}`)),
    );
  });
  sent.end(JSON.stringify({ model: 'm', input: 'Hello', stream }));
  return promise;
}

async function startHand(): Promise<Server & { child: ChildProcess }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'hand-written.ts')], {
    env: { MODEL_URL: model.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: url.toString().trim(), headers: {}, cpu: () => cpuOf(child.pid ?? 0), child };
}

/** From the start of the process to its first answer, with its CPU time. */
async function startOurs() {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(installation.installed, 'bin/reborn.js'), 'serve'], {
    env: {
      PATH: process.env['PATH'],
      ...SETTINGS,
      ...home.env,
      GATEWAY_PORT: String(port),
      LOG_LEVEL: 'warn',
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      LLM_BASE_URL: model.url,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}/api/v1/responses`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  while (!(await ask({ url, headers }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('The service ended.');
    await sleep(5);
  }
  const pid = child.pid ?? 0;
  const start = { milliseconds: performance.now() - started, cpu: cpuOf(pid) };
  return { child, url, headers, pid, start };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** Runs turns for some seconds, `atOnce` at a time. */
async function burst(server: Server, atOnce: number): Promise<{ cpu: number; perSecond: number }> {
  const started = performance.now();
  const cpu = server.cpu();
  let turns = 0;
  const lane = async () => {
    while (performance.now() - started < SECONDS * 1000) {
      await ask(server);
      turns++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { cpu: (server.cpu() - cpu) / turns, perSecond: turns / ((performance.now() - started) / 1000) };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
/** Pages that several processes share are divided among them. */
const memoryMb = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await stop((await startOurs()).child); // the first start compiles the program
const starts: { milliseconds: number; cpu: number }[] = [];
for (let index = 1; index < STARTS; index++) {
  const started = await startOurs();
  starts.push(started.start);
  await stop(started.child);
}
const service = await startOurs();
starts.push(service.start);
print(
  `start to first answer ${median(starts.map((start) => start.milliseconds)).toFixed(0)} ms, ` +
    `${median(starts.map((start) => start.cpu)).toFixed(0)} ms of CPU`,
);
await sleep(3000);
const idle = memoryMb(service.pid);

const postmaster = await findPostmaster((statement) => home.query(statement));
const hand = await startHand();
const ours = { ...service, cpu: () => cpuOf(service.pid) + (postmaster ? postgresCpu(postmaster) : 0) };
for (const server of [hand, ours]) await burst(server, 8); // warm
for (const atOnce of AT_ONCE) {
  const bursts = { hand: [] as { cpu: number; perSecond: number }[], ours: [] as { cpu: number; perSecond: number }[] };
  for (let round = 0; round < ROUNDS; round++) {
    bursts.hand.push(await burst(hand, atOnce));
    bursts.ours.push(await burst(ours, atOnce));
  }
  const of = (who: 'hand' | 'ours', what: 'cpu' | 'perSecond') => median(bursts[who].map((each) => each[what]));
  print(
    `${atOnce} at once: ${of('ours', 'cpu').toFixed(1)} ms of CPU a turn, by hand ${of('hand', 'cpu').toFixed(1)} ` +
      `(${(of('ours', 'cpu') / of('hand', 'cpu')).toFixed(1)} times); ` +
      `${of('ours', 'perSecond').toFixed(0)} turns a second, by hand ${of('hand', 'perSecond').toFixed(0)}`,
  );
}
const first = { hand: [] as number[], ours: [] as number[] };
for (let index = 0; index < FIRST_TOKENS; index++) {
  first.hand.push((await ask(hand, true)).first);
  first.ours.push((await ask(ours, true)).first);
}
print(`first token ${median(first.ours).toFixed(1)} ms, by hand ${median(first.hand).toFixed(1)} ms`);
print(`memory of Node: ${idle.toFixed(0)} MB idle, ${memoryMb(service.pid).toFixed(0)} MB after the load`);

await Promise.all([stop(service.child), stop(hand.child)]);
agent.destroy();
await model.close();
await Promise.all([home.remove(), installation.remove()]);
