import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startNewestProxy } from '../../../bench/engines/newest-proxy.ts';
import { chooseRestatePorts, startRestate } from '../../../bench/engines/restate-server.ts';
import { installFolder } from '../../../bench/peers/install.ts';
import { startCluster } from '../../faults/cluster.ts';
import { engineQuery } from '../../support/engine-query.ts';
import { findFreePort } from '../../support/free-port.ts';
import { randomMoment } from '../../support/random-moment.ts';
import { TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

/**
 * Runs examples/engines/restate while `kill -9` hits Restate's server, its worker and Reborn in turn. Some requests are sent twice.
 * In the end each workflow has two answers, and Reborn has run two turns for each and no more.
 * `npm run restate -- 20 12` starts 20 workflows and kills twelve times.
 */
const [WORKFLOWS = 20, KILLS = 12] = process.argv.slice(2).map(Number);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { folder: project, version } = await installFolder('examples/engines/restate');
const temporary = await mkdtemp(path.join(tmpdir(), 'reborn-restate-'));
const cluster = await startCluster();
const reborn = await startNewestProxy();
const ports = await chooseRestatePorts();
const workerPort = await findFreePort();
const killed = { server: 0, worker: 0, reborn: 0 };

const startServer = () => startRestate(project, path.join(temporary, 'restate'), ports);

async function startReborn() {
  const replica = await cluster.start();
  reborn.leadTo(Number(new URL(replica.url).port));
  return replica;
}

async function startWorker() {
  const child = spawn(process.execPath, [path.join(project, 'follow-up.js')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(workerPort),
      REBORN_URL: `http://127.0.0.1:${reborn.port}`,
      REBORN_TOKEN: TOKEN,
      RESTATE_LOGGING: 'ERROR',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor('the worker to listen', () => isListening(workerPort));
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const parts = { reborn: await startReborn(), worker: await startWorker(), server: await startServer() };
const starts = { reborn: startReborn, worker: startWorker, server: startServer };
await parts.server.register(`http://127.0.0.1:${workerPort}`);
const { ingress } = parts.server;

/** The server may be dead at the moment; what is sent twice counts once. */
const send = (route: string, body: unknown): Promise<Response> =>
  waitFor(`Restate to accept ${route}`, () =>
    fetch(`${ingress}/followUp/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    }).then(
      // 409: it was accepted before, and its answer was lost
      (response) => (response.ok || response.status === 409 ? response : undefined),
      () => undefined,
    ),
  );

let repeated = 0;
async function runWorkflow(index: number): Promise<void> {
  const key = `case-${index}`;
  const begin = () => send(`${key}/run/send`, { question: `count 10 every 100` });
  await begin();
  if (index % 3 === 0) {
    repeated++;
    await begin();
  }
  await randomMoment(4000); // the person thinks
  await send(`${key}/reply`, `say thanks for ${key}`);
}

type Reply = { readonly id: string; readonly text: string };

const findOutput = (index: number): Promise<Reply[]> =>
  waitFor(
    `the workflow ${index} to end`,
    async () => {
      const response = await fetch(`${ingress}/restate/workflow/followUp/case-${index}/output`).catch(() => undefined);
      return response?.ok ? ((await response.json()) as Reply[]) : undefined;
    },
    180_000,
  );

async function killAll(): Promise<void> {
  const names = ['reborn', 'worker', 'server'] as const;
  for (let round = 0; round < KILLS; round++) {
    const name = names[round % names.length] ?? 'reborn';
    await randomMoment(1000, 300);
    await parts[name].kill();
    killed[name]++;
    print(`killed ${name} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    Object.assign(parts, { [name]: await starts[name]() });
  }
}

const began = performance.now();
const kills = killAll();
const all = Array.from({ length: WORKFLOWS }, (_, index) => index);
await Promise.all(all.map(runWorkflow));
await kills;
const outputs = await Promise.all(all.map(findOutput));
const seconds = (performance.now() - began) / 1000;

const turns = await engineQuery<{ status: string; id: string }>(cluster.connection, 'select id, status from turns');
const threads = await engineQuery(cluster.connection, 'select id from threads');
const wrong = [
  ...outputs.flatMap(([first, second], index) =>
    first && second && second.text.includes(`thanks for case-${index}`) ? [] : [`case-${index} has no second answer`],
  ),
  ...turns.filter(({ status }) => status !== 'completed').map(({ id, status }) => `the turn ${id} is ${status}`),
  ...(turns.length === 2 * WORKFLOWS ? [] : [`Reborn ran ${turns.length} turns`]),
  ...(threads.length === WORKFLOWS ? [] : [`Reborn has ${threads.length} threads`]),
];
print(
  `Restate ${await version('@restatedev/restate-server')}: ${WORKFLOWS} workflows, ${repeated} of them sent twice, in ${seconds.toFixed(0)} s; ` +
    `killed: Reborn ${killed.reborn}, worker ${killed.worker}, server ${killed.server} times`,
);
print(`${outputs.length} results, ${turns.length} turns in ${threads.length} threads; ${wrong.length} faults`);
for (const line of wrong) print(line);

await Promise.all([parts.worker.kill(), parts.server.kill()]);
await cluster.close();
await reborn.close();
await rm(temporary, { recursive: true, force: true });
process.exitCode = wrong.length > 0 ? 1 : 0;
