import { once } from 'node:events';
import { ConfigError, readConfig } from '#config.ts';
import { createLog } from '#log.ts';
import { scrubLine } from '#safety/scrub-line.ts';
import { runCommand } from './run-command.ts';
import { announceService } from './running-service.ts';
import { startService } from './start-service.ts';

const NO_LISTENER =
  'GATEWAY_ENABLED is false and the webhook channel is off, so `reborn serve` would listen nowhere; turn one of them on (set HTTP_WEBHOOK_SECRET for the webhook channel).';

/** Runs the service until it is asked to stop. A second request to stop is not waited for. */
export function serve(): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    if (!config.gateway.enabled && !config.webhook.enabled) throw new ConfigError([NO_LISTENER]);
    const log = createLog(config.logLevel, { scrub: scrubLine });
    const stop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]); // also while it still starts
    const app = await startService(config, log);
    const { gatewayUrl: url, replica } = app;
    const withdraw = url ? await announceService(config.home, { url, replica }) : async () => {};
    const [signal] = (await stop) as [string];
    log.info(`Stopping on ${signal}.`);
    await withdraw();
    await app.close();
  });
}
