import { once } from 'node:events';
import { createLog } from '#app/log.ts';
import { type Config, readConfig } from '#config/config.ts';
import { ConfigError } from '#config/config-error.ts';
import { scrubLine } from '#safety/secrets/scrub-line.ts';
import { announceService, findService } from './connect/running-service.ts';
import { startService } from './connect/start-service.ts';
import { printLine } from './print.ts';
import { renderLogLine } from './render-log-line.ts';
import { runCommand } from './run-command.ts';

const NO_LISTENER =
  'GATEWAY_ENABLED is false and the webhook channel is off, so `reborn serve` would listen nowhere; turn one on (set HTTP_WEBHOOK_SECRET for the webhook channel).';

/** Runs the service until it is asked to stop. A second request to stop is not waited for. */
export function serve(): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    if (!config.gateway.enabled && !config.webhook.enabled) throw new ConfigError([NO_LISTENER]);
    const log = createLog(config.logLevel, { scrub: scrubLine, write: isForPeople(config) ? printLogLine : undefined });
    const stop = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]); // also while it still starts
    const app = await startService(config, log).catch((error: unknown) => explainTaken(error, config));
    const { gatewayUrl: url, replica } = app;
    const withdraw = url ? await announceService(config.home, { url, replica }) : async () => {};
    const [signal] = (await stop) as [string];
    log.info(`Stopping on ${signal}.`);
    await withdraw();
    await app.close();
  });
}

/** The port is most often in use because the service runs already. */
async function explainTaken(error: unknown, config: Config): Promise<never> {
  const isTaken = error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const running = isTaken ? await findService(config) : undefined;
  if (!running || new URL(running.url).port !== String(config.gateway.port)) throw error;
  const what = `Reborn runs already, at ${running.url} (process ${running.pid}).`;
  throw new Error(`${what} Stop it first, or set GATEWAY_PORT to another port for a second replica.`, { cause: error });
}

function isForPeople({ logFormat }: Config): boolean {
  return logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY);
}

const printLogLine = (json: string) => printLine(renderLogLine(json));
