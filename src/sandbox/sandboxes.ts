import { createBubblewrapRung } from './bubblewrap/rung.ts';
import type { RunnerProcess } from './conversation.ts';
import { findLayers, layersOf, listEnvironment } from './probe.ts';
import type { Rung, Wait } from './rung.ts';
import { createRunner, type Runner } from './runner.ts';
import type { Facts } from './runner-messages.ts';
import type { Place } from './runners/dial.ts';
import { createRunnersRung } from './runners/rung.ts';
import {
  DEFAULT_LIMITS,
  LAYERS,
  type Layer,
  type Limits,
  NoneFree,
  NoSandbox,
  type Sandbox,
  type Sandboxes,
  type SandboxFile,
  SandboxLost,
  type Strength,
} from './sandbox.ts';
import { createWarmPool, DEFAULT_SIZES, type PoolSizes, RUNNER_SIZES } from './warm.ts';

export type SandboxOptions = {
  /** Layers without which no code runs. */
  readonly requires: readonly Layer[];
  readonly limits: Limits;
  readonly sizes: PoolSizes;
  /** The name or path of bubblewrap. */
  readonly program: string;
  /** Where code runs instead, if there are any. */
  readonly runners: readonly Place[];
  /** How long a call waits until one of them is free. */
  readonly waitMs: number;
  /** While no code runs, how long what was found is believed. */
  readonly lookAgainMs: number;
};

const SHORT_WAIT_MS = 2000;
const DEFAULTS: SandboxOptions = {
  requires: ['network', 'files', 'processes'],
  limits: DEFAULT_LIMITS,
  sizes: DEFAULT_SIZES,
  program: 'bwrap',
  runners: [],
  waitMs: 45_000, // longer than a replica keeps a sandbox that it does not use
  lookAgainMs: 60_000,
};

const NOT_SEEN: Strength = { rung: 'none', layers: [] };
const STOPS = 'The service stops.';
const OFF = 'The operator has turned it off (SANDBOX=off).';

/** For services that run no code. */
export const NO_SANDBOXES: Sandboxes = {
  strength: async () => ({ rung: 'none', layers: [], why: OFF }),
  open: () => Promise.reject(new NoSandbox(OFF)),
  close: async () => {},
};

export function createSandboxes(given: Partial<SandboxOptions> = {}): Sandboxes {
  const options = { ...DEFAULTS, ...(given.runners?.length && { sizes: RUNNER_SIZES }), ...given };
  const pool = createWarmPool<Runner>(options.sizes);
  const running = new Set<Runner>();
  const findStrength = rememberStrength(options, running, pool.dropOldest);
  let isClosed = false;

  function lend(runner: Runner, workspace: string, leave: () => void): Sandbox {
    let isLent = true;
    const giveBack = (): boolean => {
      const wasLent = isLent;
      isLent = false;
      leave();
      return wasLent;
    };
    return {
      run: (call, on) => runner.run(call, on),
      changes: () => runner.changes(),
      add: (file) => runner.add(file),
      committed(version) {
        if (giveBack()) pool.keep({ workspace, version }, runner);
      },
      async discard() {
        if (giveBack()) await runner.end();
      },
    };
  }

  async function fillNew(files: AsyncIterable<SandboxFile>, signal: AbortSignal): Promise<Runner> {
    const runner = await findStrength.start(signal);
    try {
      if (isClosed) throw new NoSandbox(STOPS);
      await runner.fill(files, signal);
      return runner;
    } catch (error) {
      await runner.end();
      throw error;
    }
  }

  return {
    strength: findStrength.now,
    async open(key, files, signal) {
      const leave = await pool.enter(signal);
      try {
        return lend(pool.take(key) ?? (await fillNew(files, signal)), key.workspace, leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      findStrength.close();
      pool.close();
      await Promise.all(Array.from(running, (runner) => runner.end()));
    },
  };
}

function rungOf({ program, limits, runners }: SandboxOptions): Rung {
  return runners.length > 0 ? createRunnersRung(runners, limits) : createBubblewrapRung(program, limits);
}

/** The first start is probed from inside; each later one is checked by what its runner tells, before anything runs in it. */
function rememberStrength(options: SandboxOptions, running: Set<Runner>, makeRoom: Wait['makeRoom']) {
  const { limits, lookAgainMs } = options;
  const { rung, closing, inNewSandbox, probe, startOnce } = createStarts(options, running, makeRoom);
  let found: Promise<Strength> | undefined; // the layers
  let seen: Strength | undefined; // with the environment
  let looking: Promise<void> | undefined;
  let lookedAt = 0;
  let loss: Loss | undefined;

  /**
   * What the last look has seen: only the first caller waits for it. While no code runs, the next look begins when someone asks:
   * bubblewrap may have been installed or repaired since.
   */
  async function now(): Promise<Strength> {
    const why = loss?.why ?? seen?.why;
    if (!seen || (why !== undefined && performance.now() - lookedAt >= lookAgainMs)) looking ??= look();
    if (!seen) await looking;
    return { ...(seen ?? NOT_SEEN), ...(seen?.why === undefined && (await rung.now())), ...loss };
  }

  async function look(): Promise<void> {
    try {
      // After a loss, all that the first look has found must hold again: a weaker sandbox is not used silently.
      if (loss) await (await start(closing.signal)).end();
      if ((await found)?.why !== undefined) found = undefined;
      seen = await withEnvironment(await (found ??= probe()));
    } catch (error) {
      if (!(error instanceof NoSandbox)) throw error; // it is still lost, and `loss` says why
    } finally {
      lookedAt = performance.now();
      looking = undefined;
    }
  }

  async function withEnvironment(strength: Strength): Promise<Strength> {
    if (strength.why !== undefined) return strength;
    try {
      return { ...strength, environment: await twice(() => inNewSandbox(listEnvironment)) };
    } catch (error) {
      return { ...strength, why: `What code can use could not be listed. ${reasonOf(error, rung)}` };
    }
  }

  async function start(signal: AbortSignal): Promise<Runner> {
    found ??= probe();
    const { layers, why } = await found;
    if (why !== undefined) throw new NoSandbox(why);
    const started = await twice(() => startOnce(signal)).catch((error: unknown) => asNoSandbox(error, rung));
    loss =
      started instanceof NoneFree ? undefined : lossOf(started, layers, (facts) => layersOf(facts, rung.name, limits));
    if (started instanceof NoSandbox) throw started;
    if (loss === undefined) return started.runner;
    await started.runner.end();
    throw new NoSandbox(loss.why);
  }

  return { now, start, close: () => closing.abort(new NoSandbox(STOPS)) };
}

type Loss = Pick<Strength, 'layers' | 'why'>;

function lossOf(
  started: Started | NoSandbox,
  layers: readonly Layer[],
  layersIn: (facts: Facts) => readonly Layer[],
): Loss | undefined {
  if (started instanceof NoSandbox) return { layers: [], why: started.message };
  const held = layersIn(started.facts).filter((layer) => layers.includes(layer));
  const missing = layers.filter((layer) => !held.includes(layer));
  if (missing.length === 0) return undefined;
  return {
    layers: held,
    why: `The sandbox was weakened: it has lost ${explain(missing)}. No code runs until it is back.`,
  };
}

/** Ways to start a sandbox. */
function createStarts(options: SandboxOptions, running: Set<Runner>, makeRoom: Wait['makeRoom']) {
  const { limits, requires } = options;
  const rung = rungOf(options);
  const closing = new AbortController();
  let lookMs = options.waitMs; // a service that starts is patient; who asks for its status is not

  function adopt(process: RunnerProcess): Runner {
    const runner = createRunner(process, limits);
    running.add(runner);
    void runner.ended.then(() => running.delete(runner));
    return runner;
  }

  async function inNewSandbox<T>(ask: (runner: Runner) => Promise<T>): Promise<T> {
    const runner = await rung.start(adopt, { signal: closing.signal, ms: lookMs, makeRoom });
    try {
      return await ask(runner);
    } finally {
      await runner.end();
    }
  }

  async function probe(): Promise<Strength> {
    try {
      const has = await rung.find();
      const { program, layers } = await twice(() => inNewSandbox(lookAround));
      const why = shortfall(layers, requires);
      return { rung: rung.name, ...program, ...has, layers, ...(why && { why }) };
    } catch (error) {
      return { rung: 'none', layers: [], why: reasonOf(error, rung) };
    } finally {
      lookMs = Math.min(lookMs, SHORT_WAIT_MS);
    }
  }

  async function lookAround(runner: Runner) {
    const { kernel } = await runner.ready;
    const layers = await findLayers(runner, rung.name, limits);
    return { layers, program: GVISOR.test(kernel) && { program: 'gVisor' } };
  }

  async function startOnce(signal: AbortSignal): Promise<Started> {
    const either = AbortSignal.any([signal, closing.signal]);
    const runner = await rung.start(adopt, { signal: either, ms: options.waitMs, makeRoom });
    return { runner, facts: await runner.ready };
  }

  return { rung, closing, inNewSandbox, probe, startOnce };
}

/** What it calls itself, in its older and newer releases. */
const GVISOR = /gvisor|Jan 10 15:06:54 PST 2016/i;

type Started = { readonly runner: Runner; readonly facts: Facts };

/** A sandbox that something killed, such as the kernel for want of memory, says nothing about the machine: the next one does. */
async function twice<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SandboxLost)) throw error;
    return act();
  }
}

const asNoSandbox = (error: unknown, rung: Rung): NoSandbox =>
  error instanceof NoSandbox ? error : new NoSandbox(reasonOf(error, rung), { cause: error });

function shortfall(layers: readonly Layer[], requires: readonly Layer[]): string | undefined {
  const missing = requires.filter((layer) => !layers.includes(layer));
  return missing.length === 0 ? undefined : `The sandbox lacks what is required: ${explain(missing)}.`;
}

function explain(layers: readonly Layer[]): string {
  return layers.map((layer) => `${layer} (${LAYERS[layer]})`).join(', ');
}

/** A sentence for people: the last words of bubblewrap or of the connection are in it. */
function reasonOf(error: unknown, { name }: Rung): string {
  if (error instanceof NoSandbox) return error.message;
  if (!(error instanceof SandboxLost))
    return `The sandbox can't be started. ${error instanceof Error ? error.message : String(error)}`;
  const what = name === 'bubblewrap' ? "bubblewrap can't build a sandbox here." : "The runners can't be used.";
  return `${what} ${error.message}`;
}
