import { parentPort } from 'node:worker_threads';
import type { WorkerAnswer } from './worker-pool.ts';

type Order = { readonly module: string; readonly run: string; readonly input: unknown };

/** Runs the jobs it receives, one at a time. A module is loaded when the first job needs it. */
parentPort?.on('message', (order: Order) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
  void answer(order).then((value) => parentPort?.postMessage(value)); // it never rejects
});

async function answer({ module, run, input }: Order): Promise<WorkerAnswer> {
  try {
    const functions = (await import(module)) as Readonly<Record<string, (input: unknown) => unknown>>;
    return { value: await functions[run]?.(input) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
