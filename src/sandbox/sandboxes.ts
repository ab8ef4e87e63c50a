import { findBubblewrap, startBubblewrap } from './bubblewrap/start.ts';
import { layersOf, probe } from './probe.ts';
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
};

const DEFAULTS: SandboxOptions = {
  requires: ['network', 'files', 'processes'],
  limits: DEFAULT_LIMITS,
  sizes: DEFAULT_SIZES,
  program: 'bwrap',
};

export function createSandboxes(given: Partial<SandboxOptions> = {}): Sandboxes {
  const options = { ...DEFAULTS, ...given };
  const pool = createWarmPool<Runner>(options.sizes);
  const inUse = new Set<Runner>();
  const findStrength = rememberStrength(options);

  function lend(runner: Runner, workspace: string, leave: () => void): Sandbox {
    inUse.add(runner);
    const giveBack = (): void => {
      inUse.delete(runner);
      leave();
    };
    return {
      run: (call, on) => runner.run(call, on),
      changes: () => runner.changes(),
      committed(version) {
        if (!inUse.has(runner)) return;
        pool.keep({ workspace, version }, runner);
        giveBack();
      },
      async discard() {
        if (!inUse.has(runner)) return;
        giveBack();
        await runner.end();
      },
    };
  }

  return {
    strength: findStrength.now,
    async open(key, files, signal) {
      const leave = await pool.enter(signal);
      try {
        const warm = pool.take(key);
        if (warm) return lend(warm, key.workspace, leave);
        const runner = await findStrength.start();
        try {
          await runner.fill(files, signal);
        } catch (error) {
          await runner.end();
          throw error;
        }
        return lend(runner, key.workspace, leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
    async close() {
      await Promise.all([pool.close(), ...Array.from(inUse, (runner) => runner.end())]);
    },
  };
}

/** The first start is probed from inside; each later one is checked by what its runner tells, before anything runs in it. */
function rememberStrength({ program, limits, requires }: SandboxOptions) {
  let probed: Promise<Strength> | undefined;
  let loss: Pick<Strength, 'layers' | 'why'> | undefined;

  const startRunner = (): Runner => createRunner(startBubblewrap(program, limits), limits);

  async function look(): Promise<Strength> {
    try {
      const found = await findBubblewrap(program);
      const runner = startRunner();
      try {
        const { layers, environment } = await probe(runner, limits);
        const why = shortfall(layers, requires);
        return { rung: 'bubblewrap', program: found, layers, environment, ...(why && { why }) };
      } finally {
        await runner.end();
      }
    } catch (error) {
      return { rung: 'none', layers: [], why: reasonOf(error) };
    }
  }

  const findOnce = (): Promise<Strength> => (probed ??= look());

  async function now(): Promise<Strength> {
    return { ...(await findOnce()), ...loss };
  }

  async function start(): Promise<Runner> {
    const { layers, why } = await findOnce();
    if (why !== undefined) throw new NoSandbox(why);
    const runner = startRunner();
    loss = lossOf(await runner.ready.catch(asNoSandbox), layers);
    if (loss === undefined) return runner;
    await runner.end();
    throw new NoSandbox(loss.why);
  }

  function lossOf(facts: Facts | NoSandbox, layers: readonly Layer[]): typeof loss {
    if (facts instanceof NoSandbox) return { layers: [], why: facts.message };
    const held = layersOf(facts, limits).filter((layer) => layers.includes(layer));
    const missing = layers.filter((layer) => !held.includes(layer));
    if (missing.length === 0) return undefined;
    return {
      layers: held,
      why: `The sandbox was weakened: it has lost ${explain(missing)}. No code runs until it is back.`,
    };
  }

  return { now, start };
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
  throw error;
}
