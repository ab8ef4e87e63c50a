import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError, createClient } from '@reborn-agent/client';
import type { ServiceStatus } from '@reborn-agent/client/api';
import type { Config } from '#config/config.ts';

/** How other processes of this home reach a service that runs. */
export type RunningService = {
  readonly pid: number;
  /** What its `GET /healthz` says, so that another program on its port is not taken for it. */
  readonly replica: string;
  readonly url: string;
};

/** How soon another service of this home takes the place of one that has ended. */
const LOOK_AGAIN_MS = 2000;

/**
 * Writes `serve.json`, which commands use to find the service. A living service's file is never touched: this one takes its
 * place when that one has ended.
 */
export async function announceService(
  home: string,
  service: Omit<RunningService, 'pid'>,
): Promise<() => Promise<void>> {
  const file = fileIn(home);
  const content = `${JSON.stringify({ pid: process.pid, ...service })}\n`;

  async function announce(): Promise<void> {
    const announced = await readAnnounced(home);
    if (announced?.replica === service.replica || (announced && (await isAlive(announced)))) return;
    const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, file);
  }

  let round = announce();
  await round;
  const timer = setInterval(() => {
    round = announce().catch(() => {}); // a full disk, say: the next round tries again
  }, LOOK_AGAIN_MS).unref();
  return async () => {
    clearInterval(timer);
    await round;
    if ((await readAnnounced(home))?.replica === service.replica) await rm(file, { force: true });
  };
}

/** The service that announced itself last; it may have been killed since. */
export async function readAnnounced(home: string): Promise<RunningService | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(home), 'utf8')) as RunningService;
  } catch {
    return undefined;
  }
}

/** The service of this home, if it is alive. */
export async function findService({ home }: Config): Promise<RunningService | undefined> {
  const announced = await readAnnounced(home);
  return announced && (await isAlive(announced)) ? announced : undefined;
}

/** Throws, with what to do, when the service is alive but does not let this command in. */
export async function getStatus(config: Config, { url, pid }: RunningService): Promise<ServiceStatus> {
  const token = await findOperatorToken(config);
  const who = `A service is running at ${url} (process ${pid})`;
  if (!token) throw new Error(`${who}, but its operator token is not known here. ${SET_TOKEN}`);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return createClient({ url, token })
    .call('GET /api/status', { signal })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      const reason = error.status === 401 ? `it refused the operator token known here. ${SET_TOKEN}` : error.message;
      throw new Error(`${who}, but ${reason}`, { cause: error });
    });
}

/** Throws, with what to do, when the service at REBORN_URL does not let this command in. */
export async function checkRemote(remote: NonNullable<Config['remote']>): Promise<void> {
  const messages = {
    0: `Nothing answers at ${remote.url}. Set REBORN_URL to the address of a service that runs, or unset it.`,
    401: `The service at ${remote.url} refused the token. Set REBORN_TOKEN to a token of yours.`,
  };
  await createClient(remote, { messages }).call('GET /api/me', { signal: AbortSignal.timeout(PATIENCE_MS) });
}

const SET_TOKEN = 'Set SERVICE_REBORN_WEBUI_TOKEN to the token the service was started with.';
/** A service on a busy machine answers within this time. One that has ended refuses the connection at once. */
const PATIENCE_MS = 15_000;

async function isAlive({ url, replica }: RunningService): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return (await createClient({ url }).call('GET /healthz', { signal })).replica === replica;
  } catch {
    return false; // nothing answers there, or another program does
  }
}

/** The token of the commands on this machine. */
export async function findOperatorToken({ operatorToken, home }: Config): Promise<string | undefined> {
  if (operatorToken) return operatorToken;
  const kept = await readFile(path.join(home, 'webui-token'), 'utf8').catch(() => '');
  return kept.trim() || undefined;
}

const fileIn = (home: string) => path.join(home, 'serve.json');
