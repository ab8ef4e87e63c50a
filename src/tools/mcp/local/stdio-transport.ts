import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { programFile } from '#program-files.ts';
import { isTooDeep } from '../mcp-fetch.ts';

export type LocalProgram = {
  readonly command: readonly string[];
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly cwd: string;
};

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_STDERR = 4096;
const END_MS = 3000;

/** An MCP server as a child process: a message is a line of JSON. A server that breaks a limit is ended. */
export function createStdioTransport({ command, env, cwd }: LocalProgram) {
  let child: ChildProcess | undefined;
  let pending: Buffer[] = [];
  let size = 0;
  let stderr = '';
  const transport: Transport & { exited: Promise<void>; lastWords(): string } = {
    exited: Promise.resolve(),
    lastWords: () => stderr.trim(),
    async start() {
      child = spawn(process.execPath, [programFile('tools/mcp/local/guard'), ...command], {
        env: { ...env },
        cwd,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      transport.exited = once(child, 'exit').then(() => transport.onclose?.());
      child.on('error', (error) => transport.onerror?.(error));
      child.stdin?.on('error', () => {}); // the exit is reported instead
      child.stdout?.on('data', receive);
      child.stderr?.on('data', (data) => (stderr = (stderr + String(data)).slice(-MAX_STDERR)));
      await once(child, 'spawn');
    },
    async send(message) {
      if (!child?.stdin?.writable) throw new Error('The server has ended.');
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      child?.stdin?.end();
      const ends = setTimeout(() => child?.kill('SIGTERM'), END_MS);
      await transport.exited;
      clearTimeout(ends);
    },
  };

  function receive(data: Buffer): void {
    let rest = data;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      take(Buffer.concat([...pending, rest.subarray(0, at)]));
      pending = [];
      size = 0;
      rest = rest.subarray(at + 1);
    }
    pending.push(rest);
    size += rest.length;
    if (size > MAX_MESSAGE_BYTES) end(`The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`);
  }

  function take(line: Buffer): void {
    if (line.length > MAX_MESSAGE_BYTES || isTooDeep(line)) return end("The server's answer is nested too deeply.");
    const message = parseMessage(line);
    if (message) transport.onmessage?.(message); // other lines are noise
  }

  function end(problem: string): void {
    stderr = problem;
    child?.stdout?.removeAllListeners('data');
    child?.kill('SIGTERM');
  }

  return transport;
}

const NEWLINE = 10;

function parseMessage(line: Buffer): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    const isMessage = typeof value === 'object' && value !== null && 'jsonrpc' in value;
    return isMessage ? (value as JSONRPCMessage) : undefined; // the client checks the rest
  } catch {
    return undefined;
  }
}
