import { enableCompileCache } from 'node:module';
import path from 'node:path';
import type { Logger } from 'pino';
import type { App } from '#app/app.ts';
import type { Parts } from '#app/parts.ts';
import type { Config } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { openDatabase } from '#database/open-database.ts';

/** Starts the service in this process. The program is loaded while PostgreSQL starts. */
export async function startService(config: Config, log: Logger, parts: Parts = {}): Promise<App> {
  await makeHome(config.home);
  // Compiled code goes to the home folder: in a temporary folder, other users could replace it.
  enableCompileCache(path.join(config.home, 'compile-cache'));
  const database = await openDatabase({
    url: config.databaseUrl,
    home: config.home,
    log: (line) => log.info(line),
    onWaiting: () => void import('#app/start-app.ts').catch(() => {}), // the import below reports what is wrong
  });
  const { startApp } = await import('#app/start-app.ts');
  return startApp(config, log, { ...parts, database });
}
