import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshHome } from '../../test/support/fresh-home.ts';
import { clientOf, SETTINGS, WEBHOOK_SECRET, webhookClientOf } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { cpuOf, findPostmaster, postgresCpu } from '../process-cpu.ts';
import { saveResult } from '../results/save-result.ts';
import { drawHealth } from './health-picture.ts';
import { KINDS, type Kind } from './traffic.ts';

/**
 * Mixed traffic at rising rates, until the first text takes longer than 250 ms for one request in a hundred. Requests arrive at
 * random times (Poisson) that don't depend on the answers, and their latency counts from the time at which they were to be sent:
 * a service that falls behind can't hide it by slowing down its clients. Linux only.
 * `npm run bench:load -- 20,40 30` sends 20, then 40 requests per second, for 30 s each. With `--picture`, it also draws the
 * health page in the middle of the last rate, into docs/pictures; the browser app must be built.
 */
const RATES = (process.argv[2] ?? '10,20,40,60,80,100,120,140,160').split(',').map(Number);
const SECONDS = Number(process.argv[3] ?? 30);
const LATE_MS = 250;
const WARM_UP = { rate: 10, seconds: 5 };

type Tally = { readonly first: RecordableHistogram; readonly whole: RecordableHistogram; readonly errors: string[] };

const home = await freshHome();
const model = spawn(process.execPath, [path.join(import.meta.dirname, 'steady-model.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [modelUrl] = (await once(model.stdout, 'data')) as [Buffer];
const child = spawn(path.resolve('bin/reborn'), ['serve'], {
  env: {
    PATH: process.env['PATH'],
    ...SETTINGS,
    ...home.env,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'steady',
    LLM_BASE_URL: modelUrl.toString().trim(),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.on('data', (data) => (output += String(data)));
const [url = '', webhookUrl = ''] = await waitFor(
  'the service to listen',
  async () => /The gateway is at (\S+)[^]*?webhook channel is at ([^\s"]+)/.exec(output)?.slice(1),
  120_000,
);
const target = { ...clientOf(url), webhook: webhookClientOf(webhookUrl) };
const pid = child.pid ?? 0;
const postmaster = await findPostmaster((statement) => home.query(statement));

const MICROSECONDS = 1000;
const milliseconds = (histogram: RecordableHistogram, percentile: number): string =>
  histogram.count === 0 ? '-' : (histogram.percentile(percentile) / MICROSECONDS).toFixed(0);

function chooseKind(): Kind {
  let left = Math.random() * 100;
  return KINDS.find(({ share }) => (left -= share) < 0) ?? (KINDS[0] as Kind);
}

/** Sends requests at this rate and waits for all answers. */
async function measure(rate: number, seconds: number) {
  const tallies = new Map<string, Tally>();
  const tallyOf = (name: string): Tally => {
    const known = tallies.get(name) ?? { first: createHistogram(), whole: createHistogram(), errors: [] };
    tallies.set(name, known);
    return known;
  };
  const all = tallyOf('all');
  const send = async (due: number) => {
    const kind = chooseKind();
    const tally = tallyOf(kind.name);
    const since = () => Math.max(1, Math.round((performance.now() - due) * MICROSECONDS));
    let hasText = false;
    const onText = () => {
      if (hasText) return;
      hasText = true;
      for (const { first } of [all, tally]) first.record(since());
    };
    try {
      await kind.run(target, onText);
      for (const { whole } of [all, tally]) whole.record(since());
    } catch (error) {
      for (const { errors } of [all, tally]) errors.push((error as Error).message);
    }
  };
  const cpu = () => ({ node: cpuOf(pid), postgres: postmaster ? postgresCpu(postmaster) : Number.NaN });
  const before = cpu();
  const started = performance.now();
  const sent: Promise<void>[] = [];
  for (let due = started; due < started + seconds * 1000; due += (-Math.log(1 - Math.random()) * 1000) / rate) {
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    sent.push(send(due));
  }
  await Promise.all(sent);
  const after = cpu();
  const turns = all.whole.count;
  return {
    tallies,
    turns,
    perSecond: turns / ((performance.now() - started) / 1000),
    node: (after.node - before.node) / turns,
    postgres: (after.postgres - before.postgres) / turns,
  };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await measure(WARM_UP.rate, WARM_UP.seconds);
const measured: object[] = [];
for (const rate of RATES) {
  const isDrawn = process.argv.includes('--picture') && rate === RATES.at(-1);
  const [{ tallies, turns, perSecond, node, postgres }] = await Promise.all([
    measure(rate, SECONDS),
    isDrawn && drawHealth(url, SECONDS / 2),
  ]);
  print(
    `${rate} per second for ${SECONDS} s: ${turns} turns, ${perSecond.toFixed(1)} per second, CPU per turn: ` +
      `Node ${node.toFixed(1)} ms, PostgreSQL ${postgres.toFixed(1)} ms`,
  );
  for (const [name, { first, whole, errors }] of tallies)
    print(
      `  ${name.padEnd(12)} ${String(whole.count).padStart(6)}  first text p50 ${milliseconds(first, 50)} p95 ${milliseconds(first, 95)} ` +
        `p99 ${milliseconds(first, 99)} ms, whole p50 ${milliseconds(whole, 50)} p99 ${milliseconds(whole, 99)} ms, ` +
        `${errors.length} errors ${[...new Set(errors)].slice(0, 3).join('; ')}`,
    );
  const first = tallies.get('all')?.first;
  const firstText = (percentile: number) => (first?.percentile(percentile) ?? 0) / MICROSECONDS;
  measured.push({
    per_second: rate,
    first_text_ms: { p50: firstText(50), p95: firstText(95), p99: firstText(99) },
    cpu_ms: { node, postgres },
  });
  if (firstText(99) > LATE_MS) {
    print(`The first text of one request in a hundred takes longer than ${LATE_MS} ms at ${rate} per second.`);
    break;
  }
}

saveResult('load', { rates: measured });

child.kill('SIGTERM');
model.kill();
await once(child, 'exit');
await home.remove();
