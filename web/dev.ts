import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createServer as createVite, type Logger, type ProxyOptions, type ViteDevServer } from 'vite';
import { findOperatorToken } from '../src/cli/connect/running-service.ts';
import { readConfig, readEnvironment } from '../src/config/config.ts';
import { openDatabase } from '../src/database/open-database.ts';

/*
 * npm run dev: the service and the browser app, both from sources. The service restarts when one of its files changes, and
 * the app is updated in the browser. Settings come from the environment and from .dev-home/settings.env; without any, the
 * demo model answers.
 */

const ROOT = path.join(import.meta.dirname, '..');
const SERVICE_PATHS = ['/api', '/v1', '/login', '/logout', '/docs', '/openapi.json', '/frames/preview'];

const stopped = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
const servicePort = await findPort(Number(process.env['GATEWAY_PORT'] ?? 0));
const serviceUrl = `http://127.0.0.1:${servicePort}`;
const appPort = await findPort(5173);
const appUrl = `http://localhost:${appPort}`;
const env = {
  ...process.env,
  REBORN_HOME: path.join(ROOT, '.dev-home'),
  GATEWAY_HOST: '127.0.0.1',
  GATEWAY_PORT: String(servicePort),
  PUBLIC_URL: appUrl,
};
const config = readConfig(readEnvironment(env));

// Held open here, so that PostgreSQL keeps running while the service restarts.
const database = await openDatabase({ url: config.databaseUrl, home: config.home, log: print });
const service = startService();
const exited = once(service, 'exit');
const vite = await startVite();
try {
  await Promise.race([printAddress(), stopped, exited]);
  await Promise.race([stopped, exited]);
} finally {
  service.kill('SIGTERM');
  await Promise.all([exited, vite.close()]);
  await database.close();
}

/** A restart kills it: it is made for that, and a polite stop would wait seconds for the connections of open pages. */
function startService(): ChildProcess {
  const watch = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGKILL'];
  return spawn(process.execPath, [...watch, 'src/main.ts', 'serve'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Its own process group: Ctrl+C and our SIGTERM would be two requests to stop, and the second ends it at once.
    detached: process.platform !== 'win32',
  });
}

async function startVite(): Promise<ViteDevServer> {
  const proxy: ProxyOptions = {
    target: serviceUrl,
    ws: true,
    // `GET /login` is a page of the app; the other methods are the service's.
    bypass: ({ method, url }) => (method === 'GET' && /^\/login(?:\?|$)/.test(url ?? '') ? '/index.html' : undefined),
  };
  const server = await createVite({
    configFile: path.join(import.meta.dirname, 'vite.config.ts'),
    customLogger: quietLogger(),
    clearScreen: false,
    server: {
      host: 'localhost',
      port: appPort,
      strictPort: true,
      proxy: Object.fromEntries(SERVICE_PATHS.map((prefix) => [prefix, proxy])),
    },
  });
  return server.listen();
}

/** Open pages keep asking while the service restarts, and each failed request would print a stack. */
function quietLogger(): Logger {
  const logger = createLogger();
  const isOfProxy = (message: string) => /proxy (?:socket )?error/.test(message);
  return { ...logger, error: (message, options) => void (isOfProxy(message) || logger.error(message, options)) };
}

/** With a sign-in link, which works once; the browser stays signed in after that. */
async function printAddress(): Promise<void> {
  while (!(await isReady())) await sleep(100);
  const answer = await fetch(`${serviceUrl}/api/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await findOperatorToken(config)}` },
  });
  const { url } = (await answer.json()) as { url: string };
  print(`\nOpen ${url}\n(once; after that, ${appUrl}). Ctrl+C stops everything.\n`);
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`${serviceUrl}/readyz`).catch(() => undefined);
  return answer?.ok ?? false;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `wanted` if it is free, or else any port. */
async function findPort(wanted: number): Promise<number> {
  const server = createServer();
  const port = await new Promise<number | undefined>((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(wanted, 'localhost', () => resolve((server.address() as { port: number }).port));
  });
  server.close();
  return port ?? findPort(0);
}
