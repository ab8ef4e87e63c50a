import { ApiError, type Client, createClient } from '@reborn-agent/client';
import type { ReplicaList, ServiceStatus } from '@reborn-agent/client/api';
import { type Config, readConfig } from '#config/config.ts';
import { checkHome } from '#config/home-folder.ts';
import { describeAge, RENEW } from '#database/release-date.ts';
import { findOperatorToken, findService, getStatus } from './connect/running-service.ts';
import { printJson, printLine, printNotice, printTable } from './print.ts';
import { runCommand } from './run-command.ts';
import { printCells } from './status-of-cells.ts';
import { watchStatus } from './watch-status.ts';

const NOT_RUNNING = 3;

const WATCH_SECONDS = 2;

export type StatusOptions = { readonly json?: true; readonly watch?: true | string; readonly cells?: string };

/** `reborn status`: what the service of this home is doing. Exits with 3 when there is none. */
export function status({ json, watch, cells }: StatusOptions): Promise<void> {
  return runCommand(async () => {
    const config = readConfig();
    if (cells !== undefined) return statusOf(cells, config, json === true);
    const announced = await findService(config);
    if (!announced) {
      await checkHome(config.home);
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
    const deliveries = await findDeliveries(createClient({ url: announced.url, token }));
    if (json)
      return printJson({
        running: true,
        pid: announced.pid,
        url: announced.url,
        ...found,
        ...(deliveries && { deliveries }),
      });
    const { model, database, queue } = found;
    printTable([
      ['running', `${announced.url}, process ${announced.pid}, for ${durationOf(found.uptime_seconds)}`],
      ['version', found.version],
      ['model', model.demo ? 'the demo model' : `${model.name} by ${model.provider}`],
      ['database', `PostgreSQL ${database.version}, ${database.kind}`],
      ['turns', `${queue.running} running, ${queue.queued} queued, in ${found.threads} threads`],
      ...(deliveries ? [['deliveries', describe(deliveries)]] : []),
      ...(found.drain ? [['drain', describeDrain(found.drain)]] : []),
      ['replicas', String(found.replicas)],
      ['tools', String(found.tools)],
      ...(found.code === undefined ? [] : [['code', found.code]]), // an older service does not say it
      ...(found.index_builds ?? []).map((build) => ['index', describeBuild(build)]), // nor this
    ]);
    const age = database.kind === 'embedded' ? describeAge(database.version) : undefined;
    if (age !== undefined) printNotice(`${age} ${RENEW}`);
  });
}

type DeliveryCounts = ReplicaList['deliveries'];

/** An older service does not count them, or does not list its replicas at all. */
async function findDeliveries(client: Client): Promise<DeliveryCounts | undefined> {
  const list: Partial<ReplicaList> = await client.call('GET /api/replicas').catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return {};
    throw error;
  });
  return list.deliveries;
}

const describe = ({ open, dead, dead_last_day: lastDay }: DeliveryCounts) =>
  `${open} open, ${dead} given up, ${lastDay} of them in the last day`;

type Drain = NonNullable<ServiceStatus['drain']>;

function describeDrain({ moved, stayed, left, per_minute: pace, ended, idle_seconds: idle }: Drain): string {
  const stay = stayed === 0 ? '' : `, ${stayed} stay`;
  if (ended) return `done ${durationOf(idle)} ago: ${moved} users moved${stay}`;
  const state =
    idle > STILL_SECONDS ? `nothing for ${durationOf(idle)}; run reborn cell drain again` : `${pace} a minute`;
  return `${moved} users moved${stay}, ${left} left, ${state}`;
}

/** Longer than a move takes. */
const STILL_SECONDS = 120;

type IndexBuild = Awaited<ReturnType<typeof getStatus>>['index_builds'][number];

const describeBuild = ({ name, table, phase, percent }: IndexBuild): string =>
  `${name} on ${table} is ${phase === null ? 'not built yet' : `being built: ${phase}, ${percent} %`}`;

async function statusOf(cells: string, config: Config, json: boolean): Promise<void> {
  const token = await findOperatorToken(config);
  if (!token)
    throw new Error('The operator token of the cells is not known here. Set SERVICE_REBORN_WEBUI_TOKEN to it.');
  const urls = cells.split(',').map((url) => url.trim().replace(/\/$/, ''));
  if (!urls.every((url) => URL.canParse(url)))
    throw new Error('--cells takes addresses, separated by commas: http://cell-1:3000,http://cell-2:3000.');
  if (!(await printCells(urls, token, json))) process.exitCode = NOT_RUNNING;
}

function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
