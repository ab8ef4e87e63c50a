import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '#database/open-database.ts';
import { ROOT } from '../../test/support/cached-folder.ts';
import { median } from '../burst.ts';
import { installFolder } from '../peers/install.ts';
import { saveResult } from '../results/save-result.ts';
import type { Contender } from './contender.ts';
import { prepareContenders } from './contenders.ts';
import type { Connection } from './hosted.ts';
import { checkLateWriter, checkOrder, measureCost, measureGates, measureTakeover } from './measure.ts';

/**
 * The same turn on several engines: accept an input, write three fenced steps, settle. All run on one PostgreSQL and alternate,
 * so that a busy machine affects all alike; medians of the rounds count.
 * `npm run bench:engines -- 3 5 6 10000 Reborn Restate --save` measures for 3 s at a time, five times, kills six workers of each, opens
 * 10,000 gates, measures only the named engines, and keeps the result. Absurd needs its schema: `ABSURD_SQL=absurd.sql`.
 */
const words = process.argv.slice(2).filter((word) => word !== '--save');
const [SECONDS = 3, ROUNDS = 5, KILLS = 6, GATES = 10_000] = words.slice(0, 4).map(Number);
const CHOSEN = words.slice(4);
const TURNS_PER_KILL = 5;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(path.join(tmpdir(), 'reborn-engines-'));
await chmod(folder, 0o711); // as root, PostgreSQL runs as another user
const database = await openDatabase({ url: undefined, home: folder });
const postmaster = Number(readFileSync(`${database.connection.host}/postmaster.pid`, 'utf8').split('\n')[0]);
const installed = await installFolder('bench/engines/project');
const all = (await prepareContenders({ installed, connection: database.connection as Connection, folder })).filter(
  ({ name }) => CHOSEN.length === 0 || name === 'bare SQL' || CHOSEN.includes(name),
);
const engines = all.filter(({ name }) => name !== 'bare SQL');

type Costs = Awaited<ReturnType<typeof measureCost>>;
const costs = new Map<Contender, Costs[]>(all.map((contender) => [contender, []]));
const loadBefore = loadavg()[0];
for (let round = 0; round < ROUNDS; round++)
  for (const contender of all) {
    const cost = await measureCost(contender, postmaster, SECONDS);
    costs.get(contender)?.push(cost);
    print(`${contender.name}: ${cost.map(({ cpu, atOnce }) => `${cpu.toFixed(2)} ms at ${atOnce}`).join(', ')}`);
  }

/** The median of the rounds, and of the ratio to bare SQL in the same round. */
function summarize(contender: Contender) {
  const bare = [...costs].find(([{ name }]) => name === 'bare SQL')?.[1] ?? [];
  const rounds = costs.get(contender) ?? [];
  return (rounds[0] ?? []).map(({ atOnce }, index) => {
    const of = (list: readonly Costs[]) => list.flatMap((cost) => cost[index] ?? []);
    const ratios = of(rounds).map(({ cpu }, round) => cpu / (of(bare)[round]?.cpu ?? Number.NaN));
    return {
      atOnce,
      cpu: median(of(rounds).map(({ cpu }) => cpu)),
      perSecond: median(of(rounds).map(({ perSecond }) => perSecond)),
      timesBare: median(ratios),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
    };
  });
}

const times = new Map<Contender, number[]>(engines.map((contender) => [contender, []]));
for (let half = 0; half < 2; half++)
  for (const contender of engines) {
    const took = await measureTakeover(contender, { kills: KILLS / 2, turns: TURNS_PER_KILL });
    times.get(contender)?.push(...took);
    print(`${contender.name}, takeover: ${took.map((ms) => Math.round(ms)).join(' ')}`);
  }

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const results: object[] = [];
/** After each engine, so that a long run which is cut off leaves something. */
const save = (): void =>
  saveResult('engines', {
    commit,
    machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim()})`,
    loadAverage: { before: loadBefore, after: loadavg()[0] },
    node: process.version,
    postgres: database.version,
    seconds: SECONDS,
    rounds: ROUNDS,
    kills: KILLS,
    engines: results,
  });

for (const contender of all) {
  const { name, version, released, licence, secondStatefulPart, settings, takesOver, hasWaits } = contender;
  const facts = { name, version, released, licence, secondStatefulPart, settings, turns: summarize(contender) };
  if (!engines.includes(contender)) {
    results.push(facts);
    continue;
  }
  const order = await checkOrder(contender);
  const lateWriter = await checkLateWriter(contender);
  print(`${name}: ${JSON.stringify({ order, lateWriter })}`);
  const gates = hasWaits ? await measureGates(contender, postmaster, GATES) : null;
  print(`${name}: ${JSON.stringify({ gates })}`);
  const took = (times.get(contender) ?? []).toSorted((a, b) => a - b);
  const takeover = { byItself: takesOver, turns: took.length, p50: median(took), longest: took.at(-1) };
  results.push({ ...facts, takeover, order, lateWriter, gates });
  save();
}

await database.close();
await rm(folder, { recursive: true, force: true });
