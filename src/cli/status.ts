import { createClient } from '@reborn-agent/client';
import { readConfig } from '#config/config.ts';
import { findOperatorToken, findService, getStatus } from './connect/running-service.ts';
import { printJson, printLine, printTable } from './print.ts';
import { runCommand } from './run-command.ts';
import { watchStatus } from './watch-status.ts';

const NOT_RUNNING = 3;

const WATCH_SECONDS = 2;

export type StatusOptions = { readonly json?: true; readonly watch?: true | string };

/** `reborn status`: what the service of this home is doing. Exits with 3 when there is none. */
export function status({ json, watch }: StatusOptions): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    const announced = await findService(config);
    if (!announced) {
      if (json) printJson({ running: false });
      else printLine('The service is not running. `reborn serve` starts it.');
      process.exitCode = NOT_RUNNING;
      return;
    }
    const found = await getStatus(config, announced);
    const token = (await findOperatorToken(config)) ?? ''; // getStatus has used it
    if (watch) {
      const seconds = watch === true ? WATCH_SECONDS : Number(watch);
      if (!(seconds >= 1 && seconds <= 3600)) throw new Error('--watch takes a number of seconds, from 1 to 3600.');
      return watchStatus(announced, token, { seconds, json: json === true });
    }
    const { deliveries } = await createClient({ url: announced.url, token }).call('GET /api/replicas');
    if (json) return printJson({ running: true, pid: announced.pid, url: announced.url, ...found, deliveries });
    const { model, database, queue } = found;
    printTable([
      ['running', `${announced.url}, process ${announced.pid}, for ${durationOf(found.uptime_seconds)}`],
      ['version', found.version],
      ['model', model.demo ? 'the demo model' : `${model.name} by ${model.provider}`],
      ['database', `PostgreSQL ${database.version}, ${database.kind}`],
      ['turns', `${queue.running} running, ${queue.queued} queued, in ${found.threads} threads`],
      [
        'deliveries',
        `${deliveries.open} open, ${deliveries.dead} given up, ${deliveries.dead_last_day} of them in the last day`,
      ],
      ['replicas', String(found.replicas)],
      ['tools', String(found.tools)],
    ]);
  });
}

function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
