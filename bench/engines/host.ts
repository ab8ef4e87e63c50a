import { randomUUID } from 'node:crypto';
import { burst, median } from '../burst.ts';
import type { Ask, EngineModule, Hosted, HostSetup, Input, Note, RunBody } from './hosted.ts';

/**
 * A worker process: one engine, and the client that gives it work. The driver talks to it over the channel of `fork`. The burst
 * runs in here, so that the CPU time of the client counts for every engine alike.
 */
const setup = JSON.parse(process.env['HOST_SETUP'] ?? '') as Omit<HostSetup, 'body'>;
const { createEngine } = (await import(process.env['ENGINE_MODULE'] ?? '')) as EngineModule;
const { promise: released, resolve: release } = Promise.withResolvers<void>();
const ended = new Map<string, (at: number) => void>();

const tell = (note: Note['note'], input: string, reason?: string): void =>
  void process.send?.({ note, input, worker: setup.worker, at: Date.now(), reason } satisfies Note);

const body: RunBody = async (input, steps) => {
  const isWatched = input.hangOn !== undefined || input.isOrdered === true;
  if (isWatched) tell('started', input.id);
  const make = async (n: number) => {
    if (n === 2 && input.hangOn === setup.worker) {
      tell('hangs', input.id);
      await released;
    }
    return { by: setup.worker, text: 'hello' };
  };
  const written = [];
  for (const n of [0, 1, 2]) {
    const step = steps.write(n, () => make(n));
    written.push(await step.catch((error: unknown) => refuse(input, error)));
    if (n === 1 && input.hasGate) await steps.wait();
  }
  ended.get(input.id)?.(performance.now());
  if (isWatched) tell('ended', input.id);
  return written;
};

function refuse(input: Input, error: unknown): never {
  tell('refused', input.id, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  throw error;
}

const newInput = (): Input => ({ id: randomUUID(), thread: randomUUID() });
const gates: string[] = [];

async function openGates(engine: Hosted, count: number): Promise<void> {
  await engine.makeRoom?.(64);
  let left = count;
  const lane = async () => {
    for (; left > 0; ) {
      left--;
      const input = { ...newInput(), hasGate: true };
      await engine.accept(input);
      gates.push(input.id);
    }
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

/** The median time from an answer to the end of its turn, one after the other. */
async function answerGates(engine: Hosted, count: number): Promise<number> {
  const times: number[] = [];
  for (const id of gates.splice(0, count)) {
    const begin = performance.now();
    const end = new Promise<number>((resolve) => ended.set(id, resolve));
    await engine.answer(id);
    times.push((await end) - begin);
  }
  return median(times);
}

async function obey(engine: Hosted, asked: Ask): Promise<unknown> {
  switch (asked.ask) {
    case 'accept':
      return engine.accept(asked.input);
    case 'answer':
      return engine.answer(asked.input);
    case 'findWriters':
      return engine.findWriters(asked.input);
    case 'burst':
      await engine.makeRoom?.(asked.atOnce);
      return burst(
        () => engine.run(newInput()),
        () => 0,
        asked,
      );
    case 'openGates':
      return openGates(engine, asked.count);
    case 'answerGates':
      return answerGates(engine, asked.count);
    case 'countWaiting':
      return engine.countWaiting();
    case 'release':
      return release();
    case 'stop':
      return engine.stop();
  }
}

const engine = await createEngine({ ...setup, body });
process.on('message', (message: { id: number; asked: Ask }) => {
  obey(engine, message.asked).then(
    (answer) => process.send?.({ id: message.id, answer }),
    (error: unknown) => process.send?.({ id: message.id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.once('disconnect', () => process.exit());
tell('ready', '');
