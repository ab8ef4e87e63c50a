import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenPrompt } from '../../support/scripted-model.ts';
import type { Replica } from '../cluster.ts';
import { STATEMENTS } from '../statements.ts';
import type { Proxy } from '../tcp-proxy.ts';
import { type Seen, sandboxesOf } from './processes.ts';

/** A replica with its own connection, so that a fault affects only its statements. */
export type Slot = { readonly line: Proxy; replica: Replica };

/** Where a call is. Resolves when one of this replica has come there, to its sandbox if that is known. */
type Reach = (at: Place) => Promise<Seen | undefined>;
type Place = {
  readonly slot: Slot;
  /** Who hears of each request to the model. */
  readonly prompts: Set<(prompt: SeenPrompt) => void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
};

const LOOK_MS = 2;

/** Every step between the model's request and the moment after the commit, in its order. */
export const PHASES = {
  'before the call': async (at) => {
    await asked(at);
    return undefined;
  },
  started: async (at) => {
    await asked(at);
    await at.slot.line.loseAnswerTo(STATEMENTS.append); // the call is appended as one that has started
    return undefined;
  },
  filling: async (at) => {
    const { slot, random, signal } = at;
    const before = new Set(sandboxesOf(slot.replica.pid).map(({ bubblewrap }) => bubblewrap));
    const isNew = ({ bubblewrap, runner }: Seen) => !before.has(bubblewrap) && runner !== undefined;
    const found = await lookFor(at, (all) => all.find(isNew));
    await sleep(random() * 60, undefined, { signal });
    return found;
  },
  running,
  walking: untilQuiet,
  receiving: async (at) => {
    const found = await untilQuiet(at);
    await sleep(at.random() * 12, undefined, { signal: at.signal });
    return found;
  },
  'storing bytes': ({ slot: { line } }) => line.loseAnswerTo(/insert into attachments/).then(() => undefined),
  'before the commit': async (at) => {
    await running(at);
    await at.slot.line.freezeAt(STATEMENTS.append, 'before');
    return undefined;
  },
  committing: async (at) => {
    await running(at);
    await at.slot.line.freezeAt(STATEMENTS.append, 'after');
    return undefined;
  },
  'after the commit': async (at) => {
    await running(at);
    await at.slot.line.loseAnswerTo(STATEMENTS.append);
    return undefined;
  },
} satisfies Record<string, Reach>;
export type Phase = keyof typeof PHASES;

/** In these phases a sandbox is at work, and its processes can be killed instead of the service. */
export const IN_SANDBOX: readonly Phase[] = ['filling', 'running', 'walking', 'receiving'];

/** The model is asked. */
async function asked({ slot, prompts, signal }: Place): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = ({ by }: SeenPrompt) => {
    if (by === slot.replica.name) resolve();
  };
  prompts.add(listen);
  signal.addEventListener('abort', () => resolve());
  await promise;
  prompts.delete(listen);
  signal.throwIfAborted();
}

/** A command runs: what is appended next is most likely its output. */
function running(at: Place): Promise<Seen> {
  return lookFor(at, (all) => all.find(({ guests }) => guests.length > 0));
}

/** A command ran at the last look, and does not any more: the files are walked and handed out now. */
async function untilQuiet(at: Place): Promise<Seen> {
  const found = await running(at);
  return lookFor(at, (all) => {
    const same = all.find(({ bubblewrap }) => bubblewrap === found.bubblewrap);
    return !same || same.guests.length === 0 ? found : undefined;
  });
}

async function lookFor({ slot, signal }: Place, find: (all: Seen[]) => Seen | undefined): Promise<Seen> {
  for (;;) {
    const found = find(sandboxesOf(slot.replica.pid));
    if (found) return found;
    await sleep(LOOK_MS, undefined, { signal });
  }
}
