import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Adopt, Rung } from '../rung.ts';
import type { Runner } from '../runner.ts';
import { type Limits, NoneFree, SandboxLost } from '../sandbox.ts';
import { connectTo, type Place, toProcess } from './dial.ts';

const RETRY_MS = 250;
const COUNT_AGAIN_MS = 10_000;

/** Runners in containers elsewhere. Each serves one connection; which of them is free shows when it is dialled. */
export function createRunnersRung(addresses: readonly Place[], limits: Limits): Rung {
  let counted: { readonly at: number; readonly runners: ReturnType<typeof countFree> } | undefined;
  return {
    name: 'runners',
    find: async () => ({}),
    async start(adopt, { signal, ms, makeRoom }) {
      const until = performance.now() + ms;
      for (;;) {
        const found = await resolveAll(addresses);
        const runner = await findFree(found.places, adopt, limits);
        if (runner) return runner;
        if (makeRoom()) continue;
        if (performance.now() > until) throw new NoneFree(noneFree(found, ms));
        await delay(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
    async now() {
      if (!counted || performance.now() - counted.at > COUNT_AGAIN_MS)
        counted = { at: performance.now(), runners: countFree(addresses) };
      return { runners: await counted.runners };
    },
  };
}

type Found = { readonly places: readonly Place[]; readonly problems: readonly string[] };

/** One name may stand for many runners. */
async function resolveAll(addresses: readonly Place[]): Promise<Found> {
  const answers = await Promise.allSettled(addresses.map(resolve));
  const places = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const problems = answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason)] : []));
  return { places: inRandomOrder(places), problems };
}

async function resolve({ host, port }: Place): Promise<Place[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => ({ host: address, port }));
}

/** So that replicas do not all ask the same one first. */
function inRandomOrder<T>(things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ thing }) => thing);
}

async function findFree(places: readonly Place[], adopt: Adopt, limits: Limits): Promise<Runner | undefined> {
  for (const place of places) {
    const socket = await connectTo(place);
    const runner = socket && (await whenReady(adopt(toProcess(socket, limits))));
    if (runner) return runner;
  }
  return undefined;
}

/** A runner that took someone else's connection at the same moment resets ours. */
async function whenReady(runner: Runner): Promise<Runner | undefined> {
  try {
    await runner.ready;
    return runner;
  } catch (error) {
    if (!(error instanceof SandboxLost)) throw error;
    return undefined;
  }
}

async function countFree(addresses: readonly Place[]): Promise<{ free: number; of: number }> {
  const { places } = await resolveAll(addresses);
  const sockets = await Promise.all(places.map(connectTwice));
  for (const socket of sockets) socket?.resetAndDestroy();
  return { free: sockets.filter((socket) => socket !== undefined).length, of: places.length };
}

/** One that has just been given back needs a moment. */
async function connectTwice(place: Place): Promise<Socket | undefined> {
  const socket = await connectTo(place);
  if (socket) return socket;
  await delay(RETRY_MS);
  return connectTo(place);
}

function noneFree({ places, problems }: Found, ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (places.length === 0) return `No address of SANDBOX_RUNNERS can be found: ${problems.join(' ')}`;
  return `No runner was free within ${seconds} seconds: all ${places.length} are in use or do not answer. Try again later; the operator can start more.`;
}
