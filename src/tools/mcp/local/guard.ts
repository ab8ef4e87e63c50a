import { spawn } from 'node:child_process';

// Run by stdio-transport.ts as a separate program: `COMMAND ARGUMENTS…`. It passes messages between the service and an MCP
// server, and ends the server with all its children when the service ends, also after a crash: its standard input closes then.
const [command = '', ...args] = process.argv.slice(2);
const GRACE_MS = 1000;

// A group of processes, so that children of the server end with it.
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });

function endGroup(): void {
  try {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
server.once('exit', (code) => {
  endGroup();
  process.exit(code ?? 1);
});
for (const stream of [server.stdin, server.stdout, process.stdin, process.stdout]) stream.on('error', () => {});
process.stdin.pipe(server.stdin);
server.stdout.pipe(process.stdout);
process.stdin.once('close', () => setTimeout(endGroup, GRACE_MS));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, endGroup);
