import path from 'node:path';
import type { ServiceProgram } from './program.ts';

const MACHINE_SETTINGS = '/etc/reborn/settings.env';

/** Exit status of a wrong setting: another try would fail, too. */
const WRONG_SETTING = 78;

/** The unit for systemd: a system unit if a user is named, otherwise one of the installing user. */
export function renderSystemdUnit({ node, main, home, user }: ServiceProgram): string {
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
    'LimitNOFILE=65536',
    'UMask=0077',
    'NoNewPrivileges=yes',
    ...(user === undefined ? [] : MACHINE_WALLS),
    '',
    '[Install]',
    `WantedBy=${user === undefined ? 'default.target' : 'multi-user.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * /tmp is shared on purpose: it has the socket of a database with a long path, and commands must find it. Without
 * ProtectKernelTunables, because under it no sandbox can mount its own /proc; the service has no right to change them anyway.
 */
const MACHINE_WALLS = [
  'ProtectSystem=full',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'CapabilityBoundingSet=',
];

/** systemd replaces %x and $x, and splits at spaces. */
function quote(word: string): string {
  return `"${escapePercent(word).replaceAll(/[\\"]/g, '\\$&').replaceAll('$', '$$$$')}"`;
}

const escapePercent = (word: string): string => word.replaceAll('%', '%%');
