import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { waitFor } from '../../test/support/wait-for.ts';
import { QUIET } from '../peers/install.ts';
import type { Ask, HostSetup, Note } from './hosted.ts';

export type Worker = ReturnType<typeof handleOf>;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL'))); // after a failure, some still run

/** Starts a worker process with one engine, and waits until it works. */
export async function startWorker(engineModule: string, setup: Omit<HostSetup, 'body'>): Promise<Worker> {
  const child = fork(path.join(import.meta.dirname, 'host.ts'), {
    env: {
      PATH: process.env['PATH'],
      ...QUIET,
      RESTATE_LOGGING: 'ERROR',
      ENGINE_MODULE: engineModule,
      HOST_SETUP: JSON.stringify(setup),
    },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const worker = handleOf(child, setup.worker);
  await worker.wait('ready', '');
  return worker;
}

type Answer = { readonly id: number; readonly answer?: unknown; readonly error?: string };

function handleOf(child: ChildProcess, name: string) {
  const notes: Note[] = [];
  const asked = new Map<number, (answer: Answer) => void>();
  child.on('message', (message: Note | Answer) => {
    if ('note' in message) notes.push(message);
    else asked.get(message.id)?.(message);
  });
  const isEnded = () => child.exitCode !== null || child.signalCode !== null;
  const exit = once(child, 'exit');

  async function ask<T = void>(question: Ask): Promise<T> {
    const id = asked.size;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    asked.set(id, resolve);
    child.send({ id, asked: question });
    const { answer, error } = await Promise.race([
      promise,
      exit.then((): Answer => ({ id, error: `${name} has ended.` })),
    ]);
    if (error) throw new Error(`${name}: ${error}`);
    return answer as T;
  }

  const find = (note: Note['note'], input: string) => notes.find((each) => each.note === note && each.input === input);
  const end = async (signal: NodeJS.Signals) => {
    if (!isEnded()) child.kill(signal);
    await exit;
  };
  return {
    name,
    pid: child.pid ?? 0,
    notes: notes as readonly Note[],
    ask,
    find,
    wait: (note: Note['note'], input: string, deadline?: number): Promise<Note> =>
      waitFor(
        `${name} to tell ${note} of ${input}`,
        async () => {
          if (isEnded() && !find(note, input)) throw new Error(`${name} has ended.`);
          return find(note, input);
        },
        deadline,
      ),
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    isEnded,
    stop: async () => {
      await ask({ ask: 'stop' });
      await end('SIGKILL');
    },
  };
}
