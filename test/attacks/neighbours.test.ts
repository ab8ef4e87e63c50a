import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { attacks, buildTool, request } from './attack-components.ts';
import { createAttackedJails, failureOf, install, QUIET_HOST, SHORT } from './attacked-jails.ts';

let jails = createAttackedJails();
afterEach(async () => {
  await jails.close();
  jails = createAttackedJails();
});

const harmless = await install('harmless', await buildTool());
const loop = await install('loop', await attacks.endlessLoop());
/** Calls the host and answers when the result arrives. */
const asking = await install(
  'asking',
  await buildTool({
    execute: `${request(0)} (call $respond (i32.const 1) (i32.const 0) (local.get $params) (local.get $length))`,
  }),
);

test('a hundred calls succeed while another tool loops and both cores are busy', async () => {
  const burners = [0, 1].map(() => new Worker('for (;;);', { eval: true }));
  try {
    const looping = failureOf(jails.run(loop, '{}', { limits: { ...SHORT, wallMs: 50_000 } }));
    const limits = { ...SHORT, cpuMs: 300, wallMs: 30_000 };
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => jails.run(harmless, `${n}`, { limits })));
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 100 }, (_, n) => ({ output: `${n}` })));
    expect((await looping).reason).toBe('cpu');
  } finally {
    await Promise.all(burners.map((burner) => burner.terminate()));
  }
});

test('a call that loops does not stop other calls of the same tool', async () => {
  const sometimes = await install(
    'sometimes',
    await buildTool({
      execute: `(if (i32.eq (local.get $length) (i32.const 4)) (then (loop $again (br $again))))
        (call $respond (i32.const 1) (i32.const 0) (local.get $params) (local.get $length))`,
    }),
  );
  const looping = failureOf(jails.run(sometimes, 'loop'));
  const others = await Promise.all(Array.from({ length: 20 }, () => jails.run(sometimes, 'go')));
  expect(others.every(({ result }) => 'output' in result && result.output === 'go')).toBe(true);
  expect((await looping).reason).toBe('cpu');
});

test('a call that only waits does not use up CPU time, and ends at its deadline', async () => {
  const host = { ...QUIET_HOST, httpRequest: () => sleep(1500).then(() => ({ status: 200, body: new Uint8Array(0) })) };
  const limits = { ...SHORT, cpuMs: 200 };
  expect((await jails.run(asking, 'waits', { host, limits })).result).toEqual({ output: 'waits' });

  const failure = await failureOf(jails.run(asking, 'waits', { host, limits: { ...limits, wallMs: 700 } }));
  expect(failure.reason).toBe('wall');
});

test('kill -9 fails the call with a clear error, and the next call works', async () => {
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
  const hang = { ...QUIET_HOST, httpRequest: () => (tellAsked(), new Promise<never>(() => {})) };
  const call = failureOf(jails.run(asking, '{}', { host: hang }));
  await asked;
  killChildren('SIGKILL');

  const failure = await call;
  expect(failure.reason).toBe('crashed');
  expect(failure.message).toMatch(
    /^asking crashed; whether it had an effect is unknown\. Its process ended with SIGKILL/,
  );
  expect((await jails.run(asking, 'again')).result).toEqual({ output: 'again' });
});

test('calls that were waiting when their process died run in the next one', async () => {
  jails = createAttackedJails({ callsPerTool: 1 });
  const killer = { ...QUIET_HOST, httpRequest: () => (killChildren('SIGKILL'), new Promise<never>(() => {})) };
  const killed = failureOf(jails.run(asking, '{}', { host: killer }));
  const waiting = Array.from({ length: 5 }, () => jails.run(asking, 'waited'));
  expect((await killed).reason).toBe('crashed');
  for (const { result } of await Promise.all(waiting)) expect(result).toEqual({ output: 'waited' });
});

test('a process that hangs is killed', async () => {
  jails = createAttackedJails({ patience: { startMs: 30_000, answerMs: 500 } });
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
  const hang = { ...QUIET_HOST, httpRequest: () => (tellAsked(), new Promise<never>(() => {})) };
  const call = failureOf(jails.run(asking, '{}', { host: hang }));
  await asked;
  killChildren('SIGSTOP');
  expect((await call).message).toMatch(/It hangs\./);
});

test('a tool that crashes repeatedly is disabled for a while, and forgetting it enables it again', async () => {
  jails = createAttackedJails({ crashes: { limit: 2, windowMs: 60_000, restMs: 60_000 } });
  const killer = { ...QUIET_HOST, httpRequest: () => (killChildren('SIGKILL'), new Promise<never>(() => {})) };
  expect((await failureOf(jails.run(asking, '{}', { host: killer }))).reason).toBe('crashed');
  expect((await failureOf(jails.run(asking, '{}', { host: killer }))).reason).toBe('crashed');

  const failure = await failureOf(jails.run(asking));
  expect(failure.reason).toBe('quarantined');
  expect(failure.message).toMatch(/^asking crashed too often and is out of use\. It may be used again in 1 minute\./);
  expect((await jails.run(harmless, 'on')).result).toEqual({ output: 'on' });

  await jails.forget('asking');
  expect((await jails.run(asking, 'forgiven')).result).toEqual({ output: 'forgiven' });
});

test('a call that is aborted ends at once, wherever it is', async () => {
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
  const hang = { ...QUIET_HOST, httpRequest: () => (tellAsked(), new Promise<never>(() => {})) };
  const controller = new AbortController();
  const running = jails.run(asking, '{}', { host: hang, signal: controller.signal });
  await asked;
  controller.abort(new Error('the turn was cancelled'));
  await expect(running).rejects.toThrow('the turn was cancelled');
  await expect(jails.run(harmless, '{}', { signal: controller.signal })).rejects.toThrow('the turn was cancelled');
});

test('only warm processes stay, and all end in time', async () => {
  jails = createAttackedJails({ warm: 1, idleMs: 500 });
  await jails.run(harmless);
  await jails.run(asking);
  await waitFor('all but one process to end', async () => childrenOf(process.pid).length === 1);
  await waitFor('the last one to fall asleep', async () => childrenOf(process.pid).length === 0);
  expect((await jails.run(harmless, 'awake')).result).toEqual({ output: 'awake' });
  await jails.close();
  await waitFor('the last process to end', async () => childrenOf(process.pid).length === 0);
});

/** A jail is a process, or the child of its guard process. */
function killChildren(signal: 'SIGKILL' | 'SIGSTOP'): void {
  for (const guard of childrenOf(process.pid))
    for (const pid of [...childrenOf(guard), guard]) process.kill(pid, signal);
}

/** From /proc, where a process's parent is the fourth word of its `stat`. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => statOf(pid).at(1) === String(parent))
    .map(Number);
}

function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it has just ended
  }
}
