import { parentPort } from 'node:worker_threads';
import type { JobResult, WorkerAnswer } from './worker-pool.ts';

type Order = { readonly module: string; readonly run: string; readonly input: unknown };

/** Runs the jobs it receives, one at a time. A module is loaded when the first job needs it. */
parentPort?.on('message', (order: Order) => void answer(order)); // it never rejects

async function answer(order: Order): Promise<void> {
  const result: WorkerAnswer = { ...(await runOrder(order)), cpu: process.threadCpuUsage() };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
  parentPort?.postMessage(result);
}

async function runOrder({ module, run, input }: Order): Promise<JobResult> {
  try {
    const functions = (await import(module)) as Readonly<Record<string, (input: unknown) => unknown>>;
    return { value: await functions[run]?.(input) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
