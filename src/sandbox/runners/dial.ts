import { connect, type Socket } from 'node:net';
import { runnerLimits, VARIABLES } from '../bubblewrap/arguments.ts';
import { inside } from '../bubblewrap/start.ts';
import type { RunnerProcess } from '../conversation.ts';
import { encodeFrame } from '../frames.ts';
import type { Limits } from '../sandbox.ts';
import { type Architecture, buildFilter, WITHOUT_INTERNET } from '../seccomp.ts';

export type Place = { readonly host: string; readonly port: number };

/** A policy may drop packets without an answer. */
const CONNECT_MS = 2000;
const KEEP_ALIVE_MS = 10_000;

/** Nothing if no one is free there. */
export function connectTo(place: Place): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const socket = connect({ ...place, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true });
  socket.setTimeout(CONNECT_MS, () => socket.destroy());
  socket.once('connect', () => {
    socket.setTimeout(0);
    resolve(socket);
  });
  // An error is followed by `close`. After the connection, it is how the runner was lost.
  socket.on('error', () => {});
  socket.once('close', () => resolve(undefined));
  return promise;
}

/** Sends the program that the container is to run, as bubblewrap would get it. It then ends with its connection. */
export function toProcess(socket: Socket, limits: Limits): RunnerProcess {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let lastWords = 'The runner closed its connection.';
  socket.on('error', (error) => (lastWords = `The connection to its runner broke: ${error.message}.`));
  socket.on('close', () => resolve(lastWords));
  socket.write(encodeFrame(programFor(limits), Buffer.from(inside('runner.py'))));
  // A mere end would wait behind what a hanging runner does not read.
  return { input: socket, output: socket, ended, kill: () => socket.resetAndDestroy() };
}

function programFor(limits: Limits): Record<string, unknown> {
  return {
    type: 'program',
    limits: runnerLimits(limits),
    interpreter: inside('interpreter.py'),
    variables: VARIABLES,
    filters: { x86_64: filtersFor('x64'), aarch64: filtersFor('arm64') }, // by the names that the runner's machine uses
  };
}

/** For a container with its own network, and for one whose network leads somewhere. */
function filtersFor(architecture: Architecture): { apart: string; connected: string } {
  return {
    apart: buildFilter(architecture).toString('base64'),
    connected: buildFilter(architecture, WITHOUT_INTERNET).toString('base64'),
  };
}
