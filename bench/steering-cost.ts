import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { cachedFolder } from '../test/support/cached-folder.ts';
import { compiledProgram } from '../test/support/compiled-program.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { layOutReleased, releasedSource } from '../test/support/released-source.ts';
import { burst, median } from './burst.ts';
import { saveResult } from './results/save-result.ts';
import { createAsking, type Server, startProgram, startWordyModel, stop, TOOL } from './turn-servers.ts';

/**
 * The CPU time of a turn without steering and subagents in this checkout, compared with the commit before there were any.
 * `npm run bench:steering-cost -- COMMIT` compares with another one. The versions share a model, and each has its own PostgreSQL. They
 * alternate, so that what else the machine does affects both alike, and the median of the ratios counts. Linux only.
 */
const BEFORE = 'a7a568dc';
const ROUNDS = 12;
const TURNS = [
  { name: 'one at a time', atOnce: 1, input: 'Hello', seconds: 2 },
  { name: 'eight at once', atOnce: 8, input: 'Hello', seconds: 2 },
  { name: 'eight at once, with a tool call', atOnce: 8, input: TOOL, seconds: 2 },
];
const WARM_SECONDS = 5;

const named = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? BEFORE;
const commit = execFileSync('git', ['rev-parse', `${named}^{commit}`], { encoding: 'utf8' }).trim();

const [model, [, program]] = await Promise.all([startWordyModel(), compiledProgram()]);
const { ask, close } = createAsking();
const homes = [await freshHome({ empty: true }), await freshHome()] as const;
const before = await startProgram(await compileCommit(), homes[0], model, ask);
const after = await startProgram(program, homes[1], model, ask);
try {
  for (const server of [before, after])
    for (const turn of TURNS) await run(server, { ...turn, atOnce: 8, seconds: WARM_SECONDS });
  const turns = [];
  for (const turn of TURNS) turns.push(await compare(turn));
  saveResult('steering-cost', { before: commit.slice(0, 8), rounds: ROUNDS, turns });
} finally {
  await Promise.all([stop(before.child), stop(after.child)]);
  close();
  await model.close();
  await Promise.all(homes.map((home) => home.remove()));
}

type Kind = (typeof TURNS)[number];

function run(server: Server, { input, ...bounds }: Omit<Kind, 'name'>) {
  return burst(() => ask(server, false, input), server.cpu, bounds);
}

async function compare({ name, ...kind }: Kind) {
  const [cpuBefore, cpuNow, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const older = round % 2 === 0 ? await run(before, kind) : undefined;
    const { cpu: now } = await run(after, kind);
    const { cpu: then } = older ?? (await run(before, kind));
    cpuBefore.push(then);
    cpuNow.push(now);
    ratios.push(now / then);
  }
  const sorted = ratios.toSorted((one, other) => one - other);
  const result = {
    turns: name,
    cpu_before_ms: median(cpuBefore),
    cpu_now_ms: median(cpuNow),
    ratio: median(ratios),
    ratio_lower_quartile: sorted[Math.floor(ROUNDS / 4)],
    ratio_upper_quartile: sorted[Math.floor((ROUNDS * 3) / 4)],
  };
  console.log(
    `${name}: ${result.cpu_now_ms.toFixed(2)} ms of CPU a turn, before ${result.cpu_before_ms.toFixed(2)}; ` +
      `${result.ratio.toFixed(3)} times (${result.ratio_lower_quartile?.toFixed(3)} to ${result.ratio_upper_quartile?.toFixed(3)})`,
  );
  return result;
}

/** The program of the other commit, compiled by its own scripts. */
async function compileCommit(): Promise<string> {
  const folder = await cachedFolder('other-version', commit.slice(0, 16), async (target) => {
    const source = await releasedSource({ version: commit.slice(0, 8), commit }, '.');
    try {
      await layOutReleased(source, target);
    } finally {
      await rm(source, { recursive: true });
    }
  });
  return path.join(folder, 'bin/reborn.js');
}
