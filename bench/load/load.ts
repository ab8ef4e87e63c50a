import type { RecordableHistogram } from 'node:perf_hooks';
import { givenWords } from '../given-words.ts';
import { cpuOf, findPostmaster, postgresCpu } from '../process-cost.ts';
import { saveResult } from '../results/save-result.ts';
import { drawHealth } from './health-picture.ts';
import { startLoadedService } from './loaded-service.ts';
import { MICROSECONDS, sendRequests } from './send-requests.ts';

/**
 * Mixed traffic at rising rates, until the first text takes longer than 250 ms for one request in a hundred. Linux only.
 * `npm run bench:load -- 20,40 30` sends 20, then 40 requests per second, for 30 s each. With `--picture`, it also draws the
 * health page in the middle of the last rate, into docs/pictures; the browser app must be built.
 */
const RATES = (givenWords[0] ?? '10,20,40,60,80,100,120,140,160').split(',').map(Number);
const SECONDS = Number(givenWords[1] ?? 30);
const LATE_MS = 250;
const WARM_UP = { rate: 10, seconds: 5 };

const service = await startLoadedService();
const postmaster = await findPostmaster((statement) => service.home.query(statement));

const milliseconds = (histogram: RecordableHistogram, percentile: number): string =>
  histogram.count === 0 ? '-' : (histogram.percentile(percentile) / MICROSECONDS).toFixed(0);

async function measure(rate: number, seconds: number) {
  const cpu = () => ({ node: cpuOf(service.pid), postgres: postmaster ? postgresCpu(postmaster) : Number.NaN });
  const before = cpu();
  const started = performance.now();
  const tallies = await sendRequests(service.target, rate, seconds);
  const after = cpu();
  const turns = tallies.get('all')?.whole.count ?? 0;
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
    isDrawn && drawHealth(service.url, SECONDS / 2),
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

await service.close();
