import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../test/support/free-port.ts';
import { startScriptedModel } from '../../test/support/scripted-model.ts';
import { type Burst, median } from '../burst.ts';
import { measuredNow } from '../results/save-result.ts';
import { handWritten } from './adapters/hand-written.ts';
import { langgraph } from './adapters/langgraph.ts';
import { mastra } from './adapters/mastra.ts';
import { openclaw } from './adapters/openclaw.ts';
import { reborn } from './adapters/reborn.ts';
import { ask, closeConnections } from './ask.ts';
import { burstOf, settle } from './bursts.ts';
import { checkCrash, type Survival } from './crash-check.ts';
import { type Started, start, stop } from './lifetime.ts';
import type { Peer, Setup } from './peer.ts';
import { memoryOfTree, runningTree } from './process-tree.ts';
import { type Run, renderTable, saveRun } from './results.ts';
import { decide } from './script.ts';

/**
 * The cost of a turn in Reborn and in other agent servers, with the same scripted model. They alternate, so that a busy
 * machine affects all alike: compare the ratios. CPU time and memory are summed over all processes of a server.
 * `npm run bench:peers -- 2 1 hand-written Mastra` measures for 2 seconds at a time instead of 4, once instead of three times,
 * and only the named servers.
 */
const [SECONDS = 4, ROUNDS = 3] = process.argv.slice(2, 4).map(Number);
const CHOSEN = process.argv.slice(4);
const STREAMS = ROUNDS * 10;
const AT_ONCE = [1, 8, 32];
const IDLE_MS = 5000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const model = await startScriptedModel({ decide });
const temporary = await mkdtemp(path.join(tmpdir(), 'reborn-peers-'));
await chmod(temporary, 0o711); // as root, PostgreSQL runs as another user

type Measured = {
  readonly peer: Peer;
  readonly version: string;
  readonly setup: Setup;
  readonly starts: Started[];
  readonly bursts: Map<number, Burst[]>;
  readonly firstWords: number[];
  prompt: { bytes: number; tools: number };
  idleMemoryMb: number;
  afterKill?: Survival;
};

async function prepare(peer: Peer): Promise<Measured> {
  print(`installing ${peer.name}`);
  const version = await peer.install();
  const folder = path.join(temporary, peer.name);
  await mkdir(folder, { mode: 0o711 });
  const setup = { modelUrl: model.urlFor(peer.name), folder, port: await findFreePort() };
  const bursts = new Map(AT_ONCE.map((atOnce) => [atOnce, []]));
  const prompt = { bytes: 0, tools: 0 };
  return { peer, version, setup, starts: [], bursts, firstWords: [], prompt, idleMemoryMb: 0 };
}

/** The servers of the last round keep running. */
async function measureStarts(all: readonly Measured[]): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++)
    for (const { peer, setup, starts } of all) {
      const server = await start(peer, setup);
      print(`${peer.name}: first answer after ${server.milliseconds.toFixed(0)} ms`);
      starts.push(server);
      if (round < ROUNDS) await stop(server);
    }
}

const runningServer = ({ peer, starts }: Measured): Started => {
  const server = starts.at(-1);
  if (!server) throw new Error(`${peer.name} was not started.`);
  return server;
};

async function measureMemory(all: readonly Measured[]): Promise<void> {
  await sleep(IDLE_MS);
  for (const each of all) each.idleMemoryMb = memoryOfTree(runningTree(await runningServer(each).roots()));
}

async function measureTurns(all: readonly Measured[]): Promise<void> {
  for (const each of all) await burstOf(runningServer(each), 2, SECONDS); // warm
  for (const each of all) await settle(runningServer(each));
  for (const atOnce of AT_ONCE)
    for (let round = 0; round < ROUNDS; round++)
      for (const each of all) {
        const measured = await burstOf(runningServer(each), atOnce, SECONDS);
        each.bursts.get(atOnce)?.push(measured);
        const seen = model.seen.splice(0).at(-1); // some prompts are long
        each.prompt = { bytes: seen?.bytes ?? 0, tools: seen?.tools.length ?? 0 };
        print(`${each.peer.name}, ${atOnce} at once: ${measured.cpu.toFixed(1)} ms of CPU a turn`);
      }
}

async function measureFirstWords(all: readonly Measured[]): Promise<void> {
  for (let index = 0; index < STREAMS; index++)
    for (const each of all)
      each.firstWords.push((await ask(runningServer(each), { text: 'Hello', stream: true })).firstWord);
}

async function measureCrash(each: Measured): Promise<void> {
  each.afterKill = await checkCrash(runningServer(each), { ...each, model });
  print(`${each.peer.name} after kill -9: ${JSON.stringify(each.afterKill)}`);
}

function resultOf({ peer, version, starts, bursts, firstWords, idleMemoryMb, prompt, afterKill }: Measured) {
  if (!afterKill) throw new Error(`${peer.name} was not killed.`);
  return {
    name: peer.name,
    version,
    storage: peer.storage,
    start: {
      milliseconds: Math.round(median(starts.map(({ milliseconds }) => milliseconds))),
      cpuMs: median(starts.map(({ startCpu }) => startCpu)),
    },
    idleMemoryMb: Math.round(idleMemoryMb),
    prompt,
    turns: [...bursts].map(([atOnce, each]) => ({
      atOnce,
      cpu: median(each.map(({ cpu }) => cpu)),
      perSecond: median(each.map(({ perSecond }) => perSecond)),
    })),
    firstWordMs: median(firstWords),
    afterKill,
  };
}

const all: Measured[] = [];
for (const peer of [reborn(), handWritten(), mastra(), langgraph(), openclaw()])
  if (CHOSEN.length === 0 || CHOSEN.includes(peer.name)) all.push(await prepare(peer));
// The first start creates databases and caches.
await Promise.all(all.map(async ({ peer, setup }) => stop(await start(peer, setup))));
await measureStarts(all);
await measureMemory(all);
const load = loadavg()[0] ?? 0;
await measureTurns(all);
await measureFirstWords(all);
await Promise.all(all.map(measureCrash)); // nothing is timed here

const run: Run = {
  ...measuredNow(),
  machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
  loadAverage: load,
  node: process.version,
  seconds: SECONDS,
  rounds: ROUNDS,
  peers: all.map(resultOf),
};
await saveRun(run);
print(renderTable(run));
closeConnections();
await model.close();
await rm(temporary, { recursive: true, force: true });
