import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#config.ts';

/** How other processes of this home reach a service that runs. */
export type RunningService = {
  readonly pid: number;
  readonly url: string;
  /** Where a browser signs in; null when it can't. */
  readonly loginUrl: string | null;
};

/** A token for the service, and what it said of itself; see `GET /api/status`. */
export type ServiceStatus = {
  readonly version: string;
  readonly uptime_seconds: number;
  readonly model: { readonly provider: string; readonly name: string; readonly demo: boolean };
  readonly channels: { readonly terminal: boolean; readonly gateway: boolean; readonly webhook: boolean };
  readonly database: { readonly kind: string; readonly version: string };
  readonly replicas: number;
  readonly queue: { readonly queued: number; readonly running: number };
  readonly tools: number;
  readonly threads: number;
};

/** Tells the other processes of this home where the service is. Whoever came last is found. */
export async function announceService(home: string, urls: Omit<RunningService, 'pid'>): Promise<() => Promise<void>> {
  const service: RunningService = { pid: process.pid, ...urls };
  const file = fileIn(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await rm(file, { force: true }); // an older file may be open to others
  await writeFile(file, `${JSON.stringify(service)}\n`, { mode: 0o600 });
  return async () => {
    if ((await readAnnounced(home))?.pid === process.pid) await rm(file, { force: true });
  };
}

/** Who said last that it runs; it may have been killed since. */
export async function readAnnounced(home: string): Promise<RunningService | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(home), 'utf8')) as RunningService;
  } catch {
    return undefined; // none, or one that is just being written
  }
}

/** The service of this home, if it answers. */
export async function findService(config: Config): Promise<RunningService | undefined> {
  const announced = await readAnnounced(config.home);
  if (!announced) return undefined;
  return (await findStatus(config, announced)) ? announced : undefined;
}

const PATIENCE_MS = 3000;

export async function findStatus(config: Config, { url }: RunningService): Promise<ServiceStatus | undefined> {
  const token = await findOperatorToken(config);
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(`${url}/api/status`, { headers, signal }).catch(() => undefined);
  return response?.ok ? ((await response.json()) as ServiceStatus) : undefined;
}

/** The token by which this machine's commands are known to the service. */
export async function findOperatorToken({ operatorToken, home }: Config): Promise<string | undefined> {
  if (operatorToken) return operatorToken;
  const kept = await readFile(path.join(home, 'webui-token'), 'utf8').catch(() => '');
  return kept.trim() || undefined;
}

const fileIn = (home: string) => path.join(home, 'serve.json');
