import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { isAway } from '#store/away.ts';
import { type App, wireApp } from './app.ts';
import type { Parts } from './parts.ts';

const TRIES = 10;
const BETWEEN_TRIES_MS = 1000;

/** Starts the service. If a PostgreSQL that answered before is lost meanwhile, such as by its restart, it begins again. */
export async function startApp(config: Config, log: Logger, parts: Parts = {}): Promise<App> {
  for (let tries = 1; ; tries++) {
    try {
      return await wireApp(config, log, parts);
    } catch (error) {
      // A built-in PostgreSQL that was opened before has been closed with the other parts.
      if (!isAway(error) || tries === TRIES || parts.database?.kind === 'embedded') throw error;
      log.warn({ err: error }, 'The database was lost during the start. Trying again.');
      await sleep(BETWEEN_TRIES_MS);
    }
  }
}
