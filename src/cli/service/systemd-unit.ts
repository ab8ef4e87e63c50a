import path from 'node:path';
import type { ServiceProgram } from './program.ts';

const MACHINE_SETTINGS = '/etc/reborn/settings.env';

/** Exit status of a wrong setting: another try would fail, too. */
const WRONG_SETTING = 78;

/** The unit for systemd: a system unit if a user is named, otherwise one of the installing user. */
export function renderSystemdUnit(program: ServiceProgram): string {
  const { node, main, home, user } = program;
  const lines = [
    '[Unit]',
    'Description=Reborn, an agent service',
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    ...(user === undefined ? [] : [`User=${user}`]),
    `ExecStart=${quote(node)} ${quote(main)} serve`,
    ...(home === undefined ? [] : [`Environment=${quote(`REBORN_HOME=${home}`)}`]),
    `EnvironmentFile=-${user === undefined && home ? escapePercent(path.join(home, 'settings.env')) : MACHINE_SETTINGS}`,
    'Restart=always',
    'RestartSec=1',
    `RestartPreventExitStatus=${WRONG_SETTING}`,
    'TimeoutStopSec=60',
    '# The built-in PostgreSQL survives a crash of the service, which then reconnects to it; in a regular stop both end.',
    'KillMode=process',
    '# If the kernel ends code of the agent for its memory, the service continues.',
    'OOMPolicy=continue',
    'LimitNOFILE=65536',
    'UMask=0077',
    'NoNewPrivileges=yes',
    ...(user === undefined ? [] : MACHINE_WALLS),
    ...(user === undefined || needsHomes(program) ? [] : ['ProtectHome=yes']),
    ...(user === undefined || needsTmp(program) ? [] : ['PrivateTmp=yes']),
    '',
    '[Install]',
    `WantedBy=${user === undefined ? 'default.target' : 'multi-user.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * What is not here, and why:
 * - PrivateUsers: after a crash, the service would be in another user namespace than its PostgreSQL, and could not look at it.
 * - ProtectKernelTunables, ProtectKernelLogs, ProcSubset: they cover parts of /proc, and then no sandbox can mount its own. The service
 *   has no right to change them anyway.
 * - RestrictNamespaces, ProtectHostname, and @mount and @privileged among the calls: sandboxes are made of namespaces with a host name
 *   and their own mounts.
 * - RemoveIPC: the built-in PostgreSQL survives a crash of the service, and needs its memory.
 * - MemoryDenyWriteExecute: Node compiles while it runs.
 */
const MACHINE_WALLS = [
  'ProtectSystem=full',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'ProtectClock=yes',
  'ProtectProc=invisible',
  'PrivateDevices=yes',
  'DevicePolicy=closed',
  'PrivateMounts=yes',
  'RestrictSUIDSGID=yes',
  'RestrictRealtime=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap',
  'SystemCallErrorNumber=EPERM',
  'LockPersonality=yes',
  'CapabilityBoundingSet=',
];

/** Whether the program or its data are where people have their files. Without a named home, they are in the user's. */
const needsHomes = ({ node, main, home = '/home' }: ServiceProgram): boolean =>
  [node, main, home].some((file) => /^\/(?:home|root|run\/user)(?:\/|$)/.test(file));

const SHORT_PATH = 60;

/** The built-in PostgreSQL with a long path has its socket in /tmp, where commands must find it. */
const needsTmp = ({ home }: ServiceProgram): boolean => home === undefined || Buffer.byteLength(home) > SHORT_PATH;

/** systemd replaces %x and $x, and splits at spaces. */
function quote(word: string): string {
  return `"${escapePercent(word).replaceAll(/[\\"]/g, '\\$&').replaceAll('$', '$$$$')}"`;
}

const escapePercent = (word: string): string => word.replaceAll('%', '%%');
