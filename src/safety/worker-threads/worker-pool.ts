import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Program, programFile } from '#program-files.ts';

/** A function to run in another thread, because its input comes from others and may take long to process. */
export type Job = {
  /** The file that exports the function. */
  readonly program: Program;
  readonly run: string;
  /** Cloned, as is the result. */
  readonly input: unknown;
  /** The user the job belongs to. Each user has one job running at a time, so no user can take all workers. */
  readonly lane: string;
  /** The most CPU time it may take. */
  readonly deadlineMs?: number;
};

/** The job took too long, needed too much memory, or too many jobs wait. Its input counts as suspicious. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

const WORKERS = 2;
const DEADLINE_MS = 10_000;
/** On a busy machine, a job may take this many times its deadline. */
const PATIENCE = 6;
/** A thread that does not even say how much CPU time it has used is stuck. */
const SAY_MS = 5_000;
const MAX_MEMORY_MB = 256;

/** Further jobs of a user who has this many waiting are rejected. */
const MAX_WAITING = 200;

type Waiting = Job & {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly isRetry?: boolean;
};
type Busy = { readonly job: Waiting; readonly since: number; timer: NodeJS.Timeout };
type Thread = { readonly worker: Worker; busy: Busy | undefined; cpuBefore: number; hasFinishedJobs: boolean };

/** One set per process. It is empty until there is work. */
const threads = new Set<Thread>();
const lanes = new Map<string, Waiting[]>();

/** Runs the job in one of a few threads, so that the event loop stays free. Throws `GivenUp` when it can't be finished. */
export function runInWorker<Result>(job: Job): Promise<Result> {
  const waiting = lanes.get(job.lane) ?? [];
  if (waiting.length >= MAX_WAITING) return Promise.reject(new GivenUp('The user has too many waiting jobs.'));

  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  waiting.push({ ...job, resolve, reject });
  lanes.set(job.lane, waiting);
  startWaiting();
  return promise as Promise<Result>;
}

/** The job's result; undefined when it couldn't be finished. */
export async function unlessGivenUp<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof GivenUp) return undefined;
    throw error;
  }
}

function startWaiting(): void {
  for (let lane = nextLane(); lane !== undefined; lane = nextLane()) {
    const thread = [...threads].find(({ busy }) => !busy) ?? (threads.size < WORKERS ? startThread() : undefined);
    const job = thread && lanes.get(lane)?.shift();
    if (!thread || !job) return;
    start(thread, job);
    const rest = lanes.get(lane) ?? [];
    lanes.delete(lane);
    if (rest.length > 0) lanes.set(lane, rest); // to the end of the queue
  }
}

/** The lane that has waited longest and has no job running. */
function nextLane(): string | undefined {
  const running = new Set([...threads].map(({ busy }) => busy?.job.lane));
  return [...lanes.keys()].find((lane) => !running.has(lane));
}

function startThread(): Thread {
  const worker = new Worker(programFile('safety/worker-threads/worker'), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const thread: Thread = { worker, busy: undefined, cpuBefore: 0, hasFinishedJobs: false };
  worker.unref(); // an idle thread must not keep the process alive
  worker.on('message', (answer: WorkerAnswer) => {
    const job = release(thread);
    thread.hasFinishedJobs = true;
    thread.cpuBefore = toMs(answer.cpu);
    if ('error' in answer) job?.reject(new Error(answer.error));
    else job?.resolve(answer.value);
    startWaiting();
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' && thread.hasFinishedJobs) retryJob(thread);
    discard(thread, `The thread failed: ${String(error)}`);
  });
  worker.on('exit', () => discard(thread, 'The thread ended.'));
  threads.add(thread);
  return thread;
}

export type JobResult = { readonly value: unknown } | { readonly error: string };
/** `cpu`: the CPU time of the thread since it was started. */
export type WorkerAnswer = JobResult & { readonly cpu: NodeJS.CpuUsage };

function start(thread: Thread, job: Waiting): void {
  const { program, run, input, deadlineMs = DEADLINE_MS } = job;
  const timer = setTimeout(() => void checkTime(thread, job), deadlineMs);
  thread.busy = { job, since: performance.now(), timer };
  thread.worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
  thread.worker.postMessage({ module: pathToFileURL(programFile(program)).href, run, input });
}

/** Counts CPU time: on a busy machine, a harmless job must not be taken for a hostile one. */
async function checkTime(thread: Thread, job: Waiting): Promise<void> {
  const { deadlineMs = DEADLINE_MS } = job;
  const cpuMs = await cpuOf(thread.worker);
  const { busy } = thread;
  if (busy?.job !== job) return; // it has ended in the meantime
  const left = cpuMs === undefined ? 0 : deadlineMs - (cpuMs - thread.cpuBefore);
  if (left <= 0 || performance.now() - busy.since > deadlineMs * PATIENCE)
    return discard(thread, `It took more than ${deadlineMs} ms.`);
  busy.timer = setTimeout(() => void checkTime(thread, job), Math.max(left, deadlineMs / 10));
}

/** Also works while the thread runs. Undefined when it does not answer, or has ended. */
async function cpuOf(worker: Worker): Promise<number | undefined> {
  const usage = await Promise.race([
    worker.cpuUsage().catch(() => undefined),
    sleep(SAY_MS, undefined, { ref: false }),
  ]);
  return usage && toMs(usage);
}

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

function release(thread: Thread): Waiting | undefined {
  const { busy } = thread;
  thread.busy = undefined;
  thread.worker.unref();
  clearTimeout(busy?.timer);
  return busy?.job;
}

/** Once, because earlier jobs may have filled the memory. */
function retryJob(thread: Thread): void {
  if (!thread.busy || thread.busy.job.isRetry) return;
  const { job } = thread.busy;
  release(thread);
  lanes.set(job.lane, [{ ...job, isRetry: true }, ...(lanes.get(job.lane) ?? [])]);
}

function discard(thread: Thread, reason: string): void {
  if (!threads.delete(thread)) return;
  release(thread)?.reject(new GivenUp(reason));
  void thread.worker.terminate();
  startWaiting();
}
