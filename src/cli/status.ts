import { readConfig } from '#config/config.ts';
import { findService, getStatus } from './connect/running-service.ts';
import { printJson, printLine, printTable } from './print.ts';
import { runCommand } from './run-command.ts';

const NOT_RUNNING = 3;

/** `reborn status`: what the service of this home is doing. Exits with 3 when there is none. */
export function status({ json }: { readonly json?: true }): Promise<void> {
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
    if (json) return printJson({ running: true, pid: announced.pid, url: announced.url, ...found });
    const { model, database, queue } = found;
    printTable([
      ['running', `${announced.url}, process ${announced.pid}, for ${durationOf(found.uptime_seconds)}`],
      ['version', found.version],
      ['model', model.demo ? 'the demo model' : `${model.name} by ${model.provider}`],
      ['database', `PostgreSQL ${database.version}, ${database.kind}`],
      ['turns', `${queue.running} running, ${queue.queued} queued, in ${found.threads} threads`],
      ['replicas', String(found.replicas)],
      ['tools', String(found.tools)],
    ]);
  });
}

function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
