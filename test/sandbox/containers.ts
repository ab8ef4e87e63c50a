import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { bubblewrapArguments } from '#sandbox/bubblewrap/arguments.ts';
import { inside } from '#sandbox/bubblewrap/start.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { SMALL } from './guest.ts';

/** bubblewrap in the place of a container engine: it sets no filter, and serve.py is process 1. */
export type Container = AsyncDisposable & { readonly host: string; readonly port: number; readonly bubblewrap: number };

/**
 * Without a network, the listening socket is passed into the container; else it has that of the machine. `change` changes the
 * arguments of bubblewrap.
 */
export type Kind = { readonly network?: boolean; readonly change?: (args: string[]) => string[] };

export async function startContainer({ network = false, change = (args) => args }: Kind = {}): Promise<Container> {
  const port = await findFreePort();
  const command = ['python3', '-IBS', '-c', inside('serve.py'), ...(network ? [String(port)] : [])];
  const args = change(withoutFilter(bubblewrapArguments(SMALL, 3, command), network));
  const child = spawn('python3', ['-c', PASS_SOCKET, network ? '' : String(port), ...args], {
    ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await waitFor('the container to listen', async () => {
    if (child.exitCode !== null) throw new Error(`It has ended: ${log}`);
    return canConnect(port);
  });
  return {
    host: '127.0.0.1',
    port,
    bubblewrap: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const PASS_SOCKET = `
import os, socket, sys
port, *args = sys.argv[1:]
if port:
    listener = socket.create_server(('127.0.0.1', int(port)), backlog=0)
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
os.execvp('bwrap', ['bwrap', *args])`;

function withoutFilter(args: readonly string[], network: boolean): string[] {
  const rest = args.toSpliced(args.indexOf('--seccomp'), 2);
  const own = ['--unshare-pid', '--unshare-ipc', '--unshare-uts'];
  return network ? rest.flatMap((word) => (word === '--unshare-all' ? own : [word])) : rest;
}

export async function canConnect(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Process 1, the runner while it serves, and what runs for the guest. */
export function processesIn({ bubblewrap }: Container): number[] {
  const parents = new Map(
    readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [[Number(name), parentOf(name)] as const] : [])),
  );
  const isInside = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && parent > 1 && (parent === bubblewrap || isInside(parent));
  };
  return [...parents.keys()].filter(isInside);
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0; // it has ended
  }
}
