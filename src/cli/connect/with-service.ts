import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '#app/log.ts';
import type { Parts } from '#app/parts.ts';
import type { Config } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { scrubLine } from '#safety/secrets/scrub-line.ts';
import type { Address, Locate } from '#terminal/service.ts';
import {
  announceService,
  checkRemote,
  findOperatorToken,
  findService,
  getStatus,
  readAnnounced,
} from './running-service.ts';
import { startService } from './start-service.ts';

export type ReachedService = {
  /** Where it is now: one that was restarted may have moved. */
  readonly locate: Locate;
  readonly notices: readonly string[];
};

/** Who quits does not want to wait; what is left undone is found at the next start, as after any crash. */
const STOP_MS = 5000;

/** The service at REBORN_URL, or the one that runs for this home. Throws when it is alive and refuses the token known here. */
export async function findRunning(config: Config): Promise<Locate | undefined> {
  const { remote } = config;
  if (remote) {
    await checkRemote(remote);
    return async () => ({ ...remote, hasGateway: true });
  }
  const running = await findService(config);
  if (!running) return undefined;
  await getStatus(config, running);
  return () => locateAnnounced(config);
}

/** Attaches to a running service; if there is none, starts it inside this process for as long as `act` takes. */
export async function withService<T>(
  config: Config,
  act: (service: ReachedService) => Promise<T>,
  parts: Pick<Parts, 'turns'> = {},
): Promise<T> {
  const locate = await findRunning(config);
  if (locate) return act({ locate, notices: [] });

  await using undo = new AsyncDisposableStack();
  await makeHome(config.home);
  const log = createLog(config.logLevel, { file: path.join(config.home, 'reborn.log'), scrub: scrubLine });
  const app = await startService(config, log, { ...parts, terminal: true });
  undo.defer(() => Promise.race([app.close(), sleep(STOP_MS, undefined, { ref: false })]));
  const { gatewayUrl, terminalUrl, replica, notices } = app;
  if (gatewayUrl) undo.defer(await announceService(config.home, { url: gatewayUrl, replica }));
  const token = await findOperatorToken(config);
  const address = terminalUrl && token ? { url: terminalUrl, token, hasGateway: gatewayUrl !== undefined } : undefined;
  return await act({ locate: async () => address, notices });
}

/** Like `withService`, but a service that it starts is private: it listens for this process only. */
export function withQuietService<T>(
  config: Config,
  act: (service: ReachedService) => Promise<T>,
  parts: Pick<Parts, 'turns'> = {},
): Promise<T> {
  const { gateway, webhook } = config;
  const quiet = {
    ...config,
    gateway: { ...gateway, enabled: false },
    webhook: { ...webhook, enabled: false as const },
  };
  return withService(quiet, act, parts);
}

async function locateAnnounced(config: Config): Promise<Address | undefined> {
  const [announced, token] = await Promise.all([readAnnounced(config.home), findOperatorToken(config)]);
  return announced && token ? { url: announced.url, token, hasGateway: true } : undefined;
}
