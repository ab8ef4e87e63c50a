import { once } from 'node:events';
import { ConfigError, readConfig } from '#config.ts';
import { createLog } from '#log.ts';

/** Runs the service until it is asked to stop. A second request to stop is not waited for. */
export async function serve(): Promise<void> {
  try {
    const config = readConfig();
    const { startApp } = await import('#app.ts'); // a wrong setting is told before everything is loaded
    const log = createLog(config.logLevel);
    const stop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]); // also while it still starts
    const app = await startApp(config, log);
    const [signal] = (await stop) as [string];
    log.info(`Stopping on ${signal}.`);
    await app.close();
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : `reborn: ${messageOf(error)}`}\n`);
    process.exitCode = error instanceof ConfigError ? 78 : 1;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
