import { createServer } from 'node:net';
import type { Config } from '#config/config.ts';
import { type Finding, ok, problem } from './finding.ts';

type Listener = { readonly host: string; readonly port: number; readonly option: string };

/** Whether the ports are free. `isRunning`: our own service has them already. */
export async function checkPorts({ gateway, webhook }: Config, isRunning: boolean): Promise<Finding[]> {
  const check = 'ports';
  if (isRunning) return [ok(check, 'The service is running, and has its ports.')];
  const wanted: Listener[] = [
    ...(gateway.enabled ? [{ host: gateway.host, port: gateway.port, option: 'GATEWAY_PORT' }] : []),
    ...(webhook.enabled ? [{ host: webhook.host, port: webhook.port, option: 'HTTP_PORT' }] : []),
  ];
  const findings: Finding[] = [];
  for (const { host, port, option } of wanted) {
    const code = await tryToListen(host, port);
    if (code)
      findings.push(
        problem(
          check,
          `Port ${port} on ${host} is in use: ${REASONS[code] ?? code}.`,
          `Set ${option} to another port.`,
        ),
      );
  }
  if (findings.length > 0) return findings;
  if (wanted.length === 0) return [ok(check, 'No port is needed.')];
  return [ok(check, wanted.map(({ port }) => `Port ${port} is free.`).join(' '))];
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program has it',
  EACCES: 'ports below 1024 need special rights',
  EADDRNOTAVAIL: 'this machine has no such address',
};

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
