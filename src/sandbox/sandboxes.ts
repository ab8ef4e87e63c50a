import { endOrphans } from './bubblewrap/end-orphans.ts';
import { findBubblewrap, startBubblewrap } from './bubblewrap/start.ts';
import { findLayers, layersOf, listEnvironment } from './probe.ts';
import { createRunner, type Runner } from './runner.ts';
import type { Facts } from './runner-messages.ts';
import {
  DEFAULT_LIMITS,
  LAYERS,
  type Layer,
  type Limits,
  NoSandbox,
  type Sandbox,
  type Sandboxes,
  type SandboxFile,
  SandboxLost,
  type Strength,
} from './sandbox.ts';
import { createWarmPool, DEFAULT_SIZES, type PoolSizes } from './warm.ts';

export type SandboxOptions = {
  /** Layers without which no code runs. */
  readonly requires: readonly Layer[];
  readonly limits: Limits;
  readonly sizes: PoolSizes;
  /** The name or path of bubblewrap. */
  readonly program: string;
  /** While no code runs, how long what was found is believed. */
  readonly lookAgainMs: number;
};

const DEFAULTS: SandboxOptions = {
  requires: ['network', 'files', 'processes'],
  limits: DEFAULT_LIMITS,
  sizes: DEFAULT_SIZES,
  program: 'bwrap',
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
  const options = { ...DEFAULTS, ...given };
  const pool = createWarmPool<Runner>(options.sizes);
  const running = new Set<Runner>();
  let isClosed = false;
  const findStrength = rememberStrength(options, running, () => isClosed);

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
    const runner = await findStrength.start();
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
      pool.close();
      await Promise.all(Array.from(running, (runner) => runner.end()));
    },
  };
}

/** The first start is probed from inside; each later one is checked by what its runner tells, before anything runs in it. */
function rememberStrength(
  { program, limits, requires, lookAgainMs }: SandboxOptions,
  running: Set<Runner>,
  isClosed: () => boolean,
) {
  let found: Promise<Strength> | undefined; // the layers
  let seen: Strength | undefined; // with the environment
  let looking: Promise<void> | undefined;
  let lookedAt = 0;
  let loss: Pick<Strength, 'layers' | 'why'> | undefined;

  function startRunner(): Runner {
    if (isClosed()) throw new NoSandbox(STOPS);
    const runner = createRunner(startBubblewrap(program, limits), limits);
    running.add(runner);
    void runner.ended.then(() => running.delete(runner));
    return runner;
  }

  async function probe(): Promise<Strength> {
    try {
      const version = await findBubblewrap(program);
      endOrphans();
      const layers = await twice(() => inNewSandbox((runner) => findLayers(runner, limits)));
      const why = shortfall(layers, requires);
      return { rung: 'bubblewrap', program: version, layers, ...(why && { why }) };
    } catch (error) {
      return { rung: 'none', layers: [], why: reasonOf(error) };
    }
  }

  async function inNewSandbox<T>(ask: (runner: Runner) => Promise<T>): Promise<T> {
    const runner = startRunner();
    try {
      return await ask(runner);
    } finally {
      await runner.end();
    }
  }

  /**
   * What the last look has seen: only the first caller waits for it. While no code runs, the next look begins when somebody asks:
   * bubblewrap may have been installed or repaired since.
   */
  async function now(): Promise<Strength> {
    const why = loss?.why ?? seen?.why;
    if (!seen || (why !== undefined && performance.now() - lookedAt >= lookAgainMs)) looking ??= look();
    if (!seen) await looking;
    return { ...(seen ?? NOT_SEEN), ...loss };
  }

  async function look(): Promise<void> {
    try {
      // After a loss, all that the first look has found must hold again: a weaker sandbox is not used silently.
      if (loss) await (await start()).end();
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
      return { ...strength, environment: await inNewSandbox(listEnvironment) };
    } catch (error) {
      return { ...strength, why: `What code can use could not be listed. ${reasonOf(error)}` };
    }
  }

  async function start(): Promise<Runner> {
    found ??= probe();
    const { layers, why } = await found;
    if (why !== undefined) throw new NoSandbox(why);
    const started = await twice(startOnce).catch(asNoSandbox);
    loss = lossOf(started, layers);
    if (started instanceof NoSandbox) throw started;
    if (loss === undefined) return started.runner;
    await started.runner.end();
    throw new NoSandbox(loss.why);
  }

  async function startOnce(): Promise<Started> {
    const runner = startRunner();
    return { runner, facts: await runner.ready };
  }

  function lossOf(started: Started | NoSandbox, layers: readonly Layer[]): typeof loss {
    if (started instanceof NoSandbox) return { layers: [], why: started.message };
    const held = layersOf(started.facts, limits).filter((layer) => layers.includes(layer));
    const missing = layers.filter((layer) => !held.includes(layer));
    if (missing.length === 0) return undefined;
    return {
      layers: held,
      why: `The sandbox was weakened: it has lost ${explain(missing)}. No code runs until it is back.`,
    };
  }

  return { now, start };
}

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

const asNoSandbox = (error: unknown): NoSandbox => new NoSandbox(reasonOf(error), { cause: error });

function shortfall(layers: readonly Layer[], requires: readonly Layer[]): string | undefined {
  const missing = requires.filter((layer) => !layers.includes(layer));
  return missing.length === 0 ? undefined : `The sandbox lacks what is required: ${explain(missing)}.`;
}

function explain(layers: readonly Layer[]): string {
  return layers.map((layer) => `${layer} (${LAYERS[layer]})`).join(', ');
}

/** A sentence for people: bubblewrap's last words are in it. */
function reasonOf(error: unknown): string {
  if (error instanceof NoSandbox) return error.message;
  if (error instanceof SandboxLost) return `bubblewrap can't build a sandbox here. ${error.message}`;
  return `The sandbox can't be started. ${error instanceof Error ? error.message : String(error)}`;
}
