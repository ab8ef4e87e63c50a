import { setTimeout as sleep } from 'node:timers/promises';
import { givenWords } from '../given-words.ts';
import { saveResult } from '../results/save-result.ts';
import { startLoadedService } from './loaded-service.ts';
import { sendRequests } from './send-requests.ts';

/**
 * The memory of one service under the same mixed traffic for a long time. `npm run bench:soak -- 25 60` sends 25 requests per
 * second for 60 minutes. Of each minute it keeps the least, because garbage comes and goes. Linux only.
 */
const RATE = Number(givenWords[0] ?? 25);
const MINUTES = Number(givenWords[1] ?? 60);
const SAMPLE_MS = 2000;
const NAMES = {
  resident: 'process_resident_memory_bytes',
  reserved: 'nodejs_heap_size_total_bytes',
  used: 'nodejs_heap_size_used_bytes',
  external: 'nodejs_external_memory_bytes',
} as const;
type Name = keyof typeof NAMES;

const service = await startLoadedService();
const traffic = sendRequests(service.target, RATE, MINUTES * 60);
const minutes: Record<Name | 'minute', number>[] = [];
for (let minute = 1; minute <= MINUTES; minute++) {
  const samples: Record<Name, number>[] = [];
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(SAMPLE_MS))
    samples.push(await sample());
  const least = ofEach((name) => Math.min(...samples.map((each) => each[name])));
  minutes.push({ minute, ...least });
  process.stdout.write(`${JSON.stringify(minutes.at(-1))}\n`);
}
const all = (await traffic).get('all');
process.stdout.write(`${all?.whole.count} turns, ${all?.errors.length} errors\n`);
saveResult('soak', { per_second: RATE, turns: all?.whole.count ?? 0, minutes });
await service.close();

/** In MB. */
async function sample(): Promise<Record<Name, number>> {
  const metrics = await (await service.target.request('/metrics')).text();
  return ofEach((name) => Math.round(Number(new RegExp(`^${NAMES[name]} (\\S+)`, 'm').exec(metrics)?.[1]) / 2 ** 20));
}

function ofEach(read: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries((Object.keys(NAMES) as Name[]).map((name) => [name, read(name)])) as Record<Name, number>;
}
