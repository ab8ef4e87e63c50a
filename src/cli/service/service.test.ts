import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runReborn } from '../../../test/support/run-reborn.ts';
import { renderLaunchdPlist } from './launchd-plist.ts';
import { findManager } from './manager.ts';
import { renderSystemdUnit } from './systemd-unit.ts';

const program = { node: '/opt/my node/node', main: '/srv/100%/$x/"main".js', home: '/home/ann/<&>', user: undefined };

test("a person's own unit starts with their session and knows their home", () => {
  const unit = renderSystemdUnit(program);

  expect(unit).toContain('ExecStart="/opt/my node/node" "/srv/100%%/$$x/\\"main\\".js" serve\n');
  expect(unit).toContain('Environment="REBORN_HOME=/home/ann/<&>"\n');
  expect(unit).toContain('WantedBy=default.target\n');
  expect(unit).not.toContain('User=');
});

test("the machine's unit runs as the user it was given, without rights to more", () => {
  const unit = renderSystemdUnit({ ...program, user: 'reborn' });

  expect(unit).toMatch(/^User=reborn$/m);
  expect(unit).toMatch(/^CapabilityBoundingSet=$/m);
  expect(unit).toContain('WantedBy=multi-user.target\n');
});

test('the system unit uses the home folder of its user, unless another is named', () => {
  const unit = renderSystemdUnit({ ...program, home: undefined, user: 'reborn' });

  expect(unit).not.toContain('REBORN_HOME');
  expect(unit).toMatch(/^EnvironmentFile=-\/etc\/reborn\/settings\.env$/m);
});

test("people's folders and /tmp are hidden from the machine's service, unless it needs them", () => {
  const machine = { node: '/usr/bin/node', main: '/opt/reborn/main.js', home: '/var/lib/reborn', user: 'reborn' };
  const walls = (changes: { node?: string; main?: string; home?: string | undefined }) =>
    renderSystemdUnit({ ...machine, ...changes }).match(/^(?:ProtectHome|PrivateTmp)=yes$/gm) ?? [];

  expect(walls({})).toEqual(['ProtectHome=yes', 'PrivateTmp=yes']);
  expect(walls({ node: '/home/ann/.nvm/node' })).toEqual(['PrivateTmp=yes']);
  expect(walls({ main: '/root/reborn/main.js' })).toEqual(['PrivateTmp=yes']);
  expect(walls({ home: '/home/reborn/.reborn' })).toEqual(['PrivateTmp=yes']);
  expect(walls({ home: undefined })).toEqual([]);
  expect(walls({ home: `/srv/${'x'.repeat(90)}` })).toEqual(['ProtectHome=yes']);
});

test('the unit in deploy/ is the one that is installed', async () => {
  const node = '/usr/bin/node';
  const main = '/usr/lib/node_modules/reborn-agent/bin/reborn.js';
  const unit = renderSystemdUnit({ node, main, home: '/var/lib/reborn', user: 'reborn' });

  expect(await readFile('deploy/systemd/reborn.service', 'utf8')).toBe(unit);
});

test('a wrong setting is not tried over and over', () => {
  expect(renderSystemdUnit(program)).toMatch(/^RestartPreventExitStatus=78$/m);
});

test('macOS reads back every word of the property list as it was, odd ones included', () => {
  const read = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout } = spawnSync('python3', ['-c', read], {
    input: renderLaunchdPlist({ ...program, user: 'ann' }),
    encoding: 'utf8',
  });

  expect(JSON.parse(stdout)).toMatchObject({
    ProgramArguments: [program.node, program.main, 'serve'],
    EnvironmentVariables: { REBORN_HOME: program.home },
    UserName: 'ann',
    KeepAlive: true,
    StandardOutPath: '/home/ann/<&>/service.log',
  });
});

const machine = { homeFolder: '/home/ann', runsSystemd: true };

test('root installs for the machine, and others for themselves', () => {
  expect(findManager({ ...machine, platform: 'linux', uid: 0 })?.file).toBe('/etc/systemd/system/reborn.service');
  const own = findManager({ ...machine, platform: 'linux', uid: 1000 });
  expect(own?.file).toBe('/home/ann/.config/systemd/user/reborn.service');
  expect(own?.enable.every(([, scope]) => scope === '--user')).toBe(true);
  expect(findManager({ ...machine, platform: 'darwin', uid: 501 })?.enable).toEqual([
    ['launchctl', 'bootstrap', 'gui/501', '/home/ann/Library/LaunchAgents/dev.reborn.agent.plist'],
  ]);
  expect(findManager({ ...machine, platform: 'win32', uid: -1 })).toBeUndefined();
});

test.each([
  ['linux', 0, ['journalctl', '--unit=reborn', '--output=cat', '--no-pager', '--lines=9', '--follow']],
  ['linux', 1000, ['journalctl', '--user', '--unit=reborn', '--output=cat', '--no-pager', '--lines=9', '--follow']],
  ['darwin', 501, ['tail', '-n', '9', '-F', '/home/ann/.reborn/service.log']],
] as const)('on %s, the log of user %s is found where the service writes it', (platform, uid, words) => {
  const manager = findManager({ ...machine, platform, uid });

  expect(manager?.logs({ lines: 9, follow: true, home: '/home/ann/.reborn' })).toEqual(words);
});

test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'root must say who runs it, and can see the unit first',
  async () => {
    expect((await runReborn(['service', 'install', '--print'])).stderr).toContain('Choose the user to run it as');
    const { code, stdout } = await runReborn(['service', 'install', '--print', '--as', 'nobody']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('REBORN_HOME');
    expect(stdout).toMatch(/^ExecStart=".*\/node" ".*\/bin\/reborn\.js" serve$/m);
    expect((await runReborn(['service', 'status'])).stderr).toContain('Install it: `reborn service install`');
  },
);
