import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LAUNCHD_LABEL, launchdLog, renderLaunchdPlist } from './launchd-plist.ts';
import type { ServiceProgram } from './program.ts';
import { renderSystemdUnit } from './systemd-unit.ts';

/** How this machine keeps a service running: the file to write, and the commands to run. */
export type Manager = {
  readonly file: string;
  render(program: ServiceProgram): string;
  readonly enable: readonly Words[];
  readonly disable: readonly Words[];
  readonly status: Words;
  readonly logs: (options: LogOptions) => Words;
  /** What the person should know once it is installed. */
  readonly hint: string;
};
export type LogOptions = { readonly lines: number; readonly follow?: true; readonly home: string };
type Words = readonly [string, ...string[]];

type Machine = {
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly homeFolder: string;
  readonly runsSystemd: boolean;
};

export function thisMachine(): Machine {
  const { uid, homedir } = os.userInfo();
  return { platform: process.platform, uid, homeFolder: homedir, runsSystemd: existsSync('/run/systemd/system') };
}

/** Nothing where we know no service manager. */
export function findManager(machine: Machine): Manager | undefined {
  if (machine.platform === 'darwin') return launchd(machine);
  return machine.platform === 'linux' ? systemd(machine) : undefined;
}

const LOG_HINT = 'Its log: `reborn logs --follow`.';

function systemd({ uid, homeFolder }: Machine): Manager {
  const isRoot = uid === 0;
  const folder = isRoot ? '/etc/systemd/system' : path.join(homeFolder, '.config/systemd/user');
  const systemctl = (...words: string[]): Words => ['systemctl', ...(isRoot ? [] : ['--user']), ...words];
  return {
    file: path.join(folder, 'reborn.service'),
    render: renderSystemdUnit,
    enable: [systemctl('daemon-reload'), systemctl('enable', 'reborn'), systemctl('restart', 'reborn')],
    disable: [systemctl('disable', '--now', 'reborn')],
    status: systemctl('status', '--no-pager', 'reborn'),
    logs: ({ lines, follow }) => [
      'journalctl',
      ...(isRoot ? [] : ['--user']),
      '--unit=reborn',
      '--output=cat',
      '--no-pager',
      `--lines=${lines}`,
      ...(follow ? ['--follow'] : []),
    ],
    hint: isRoot ? LOG_HINT : `${LOG_HINT} To keep it running while you are logged out: \`loginctl enable-linger\`.`,
  };
}

function launchd({ uid, homeFolder }: Machine): Manager {
  const isRoot = uid === 0;
  const folder = isRoot ? '/Library/LaunchDaemons' : path.join(homeFolder, 'Library/LaunchAgents');
  const domain = isRoot ? 'system' : `gui/${uid}`;
  const file = path.join(folder, `${LAUNCHD_LABEL}.plist`);
  return {
    file,
    render: renderLaunchdPlist,
    enable: [['launchctl', 'bootstrap', domain, file]],
    disable: [['launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    status: ['launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`],
    logs: ({ lines, follow, home }) => [
      'tail',
      '-n',
      String(lines),
      ...(follow ? ['-F'] : []),
      launchdLog(isRoot ? undefined : home),
    ],
    hint: LOG_HINT,
  };
}
