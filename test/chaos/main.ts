import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawChart } from './chart.ts';
import { runChaos } from './run-chaos.ts';

/*
 * `npm run chaos -- 10m [seed] [folder]`: minutes (m) or seconds (s) of faults under load. Prints the seed first, and writes
 * chaos.json, chaos.svg and the logs of the replicas to the folder. Exits with 1 after a breach.
 */
const [duration = '2m', givenSeed, folder = 'node_modules/.cache/chaos'] = process.argv.slice(2);
const [, number, unit] = /^(\d+)(s|m)$/.exec(duration) ?? [];
if (!number) throw new Error(`"${duration}" is not a duration such as 20s or 10m.`);
const ms = Number(number) * (unit === 'm' ? 60_000 : 1000);
const seed = givenSeed ? Number(givenSeed) : Math.floor(Math.random() * 2 ** 32);
console.log(`Seed ${seed}`);

const logs = path.join(folder, 'logs');
await rm(logs, { recursive: true, force: true });
await mkdir(logs, { recursive: true });
const report = await runChaos({ seed, ms, logs });
await writeFile(path.join(folder, 'chaos.json'), `${JSON.stringify(report)}\n`);
await writeFile(path.join(folder, 'chaos.svg'), drawChart(report));
const done = report.faults.filter(({ outcome }) => outcome === 'done').length;
console.log(`${report.turns} turns, ${report.streamed} of them streamed; ${done} faults; ends:`, report.ends);
if (report.broken > 0) console.log(`${report.broken} attempts ended in an unexpected error: see the logs.`);
for (const breach of report.breaches) console.log(`BREACH ${breach}`);
console.log(`${report.breaches.length} breaches. The report is in ${folder}.`);
process.exit(report.breaches.length > 0 ? 1 : 0); // a client of a service that does not answer may still wait
