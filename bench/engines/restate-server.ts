import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';
import { waitFor } from '../../test/support/wait-for.ts';

/** A single Restate server with its defaults, from the packages in `project`. `data` keeps its state over several starts. */
export async function startRestate(project: string, data: string, ports?: RestatePorts) {
  const { ingress, admin, node } = ports ?? (await chooseRestatePorts());
  const log = openSync(path.join(path.dirname(data), 'restate.log'), 'a');
  const child = spawn(findProgram(project), ['--no-logo', '--base-dir', data, '--listen-mode', 'tcp'], {
    env: {
      PATH: process.env['PATH'],
      DO_NOT_TRACK: '1',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_NODE_NAME: 'one',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
    },
    stdio: ['ignore', log, log],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  await waitFor('Restate to answer', () => isHealthy(`${urls.admin}/health`));
  await waitFor('the ingress of Restate to answer', () => isHealthy(`${urls.ingress}/restate/health`));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return {
    ...urls,
    pid: child.pid ?? 0,
    /** Tells the server where the services are. */
    async register(uri: string): Promise<void> {
      const response = await fetch(`${urls.admin}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri, force: true }),
      });
      if (!response.ok) throw new Error(`Restate refused ${uri}: ${await response.text()}`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

export type RestatePorts = { readonly ingress: number; readonly admin: number; readonly node: number };

export const chooseRestatePorts = async (): Promise<RestatePorts> => ({
  ingress: await findFreePort(),
  admin: await findFreePort(),
  node: await findFreePort(),
});

const isHealthy = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** The package of the server starts this program too, through a script. */
function findProgram(project: string): string {
  const { resolve } = createRequire(path.join(project, 'package.json'));
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return path.join(path.dirname(resolve(`${platform}/package.json`)), 'bin/restate-server');
}
