import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsBelow } from '#cli/completion/places.ts';
import { createProgram } from '#cli/program.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { compiledProgram } from '../support/compiled-program.ts';
import { runReborn } from '../support/run-reborn.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'reborn-commands-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const reborn = (...args: string[]) => runReborn(args, { env: { REBORN_HOME: home } });

test('the help of every command has an example', async () => {
  expect(
    commandsOf(await createProgram(['--help']))
      .filter(({ help }) => !/Examples?:\n {2}\S*.*reborn/.test(help))
      .map(({ name }) => name),
  ).toEqual([]);
});

test('a setting is kept, explained, used and taken out again', async () => {
  expect((await reborn('config', 'set', 'GATEWAY_PORT', '4000')).code).toBe(0);
  expect((await reborn('config')).stdout).toContain('GATEWAY_PORT=4000\n    settings.env. Port of the web gateway.');
  await runReborn(['config', 'set', 'LLM_API_KEY'], { env: { REBORN_HOME: home }, input: 'sk-piped\n' });
  expect(await reborn('config', 'get', 'LLM_API_KEY')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'reborn: LLM_API_KEY is set in settings.env. It is a secret, so its value is not shown.\n',
  });
  const listed = await reborn('config', '--json');
  expect(listed.stdout).not.toContain('sk-piped');
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({ name: 'LLM_API_KEY', value: 'set (hidden)', source: 'settings.env' }),
  );
  await reborn('config', 'unset', 'GATEWAY_PORT');
  expect((await reborn('config')).stdout).toContain('GATEWAY_PORT=3000\n    default.');
});

test.each([
  [['config', 'set', 'GATEWAY_PROT', '1'], 'Unknown option GATEWAY_PROT'],
  [['config', 'unset', 'GATEWAY_PROT'], 'Unknown option GATEWAY_PROT'],
  [['config', 'set', 'GATEWAY_PORT', 'many'], 'GATEWAY_PORT must be a port'],
  [['config', 'set', 'REBORN_HOME', '/x'], 'Set it in the environment'],
  [['completion', 'csh'], 'reborn: shell can\'t be "csh". Choose one of bash, zsh, fish, powershell.'],
  [['mission', 'create', 'x', '--instruction', 'y', '--cron', '0 8 * * *'], 'Add --time-zone, such as Europe/Oslo.'],
])('%j is refused, with what to do', async (args, message) => {
  const { code, stderr, stdout } = await reborn(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});

test('bash completes commands, commands below them, options, and names that exist', async () => {
  const script = (await reborn('completion', 'bash')).stdout;
  const [node, program] = await compiledProgram();
  const complete = async (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const line = `reborn() { '${node}' '${program}' "$@"; }\n${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _reborn; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await promisify(execFile)('bash', ['-c', line], { env: { ...BARE_ENV, REBORN_HOME: home } })).stdout
      .trim()
      .split('\n');
  };
  expect(await complete('reborn', 'do')).toEqual(['doctor']);
  expect(await complete('reborn', 'webhook', 'route', '')).toEqual(['add', 'list', 'remove', '--help']);
  expect(await complete('reborn', 'ask', '--s')).toEqual(['--schema', '--stream']);
  expect(await complete('reborn', 'completion', 'z')).toEqual(['zsh']);
  expect(await complete('reborn', 'config', 'get', 'GATEWAY_PO')).toEqual(['GATEWAY_PORT']);
  expect(await complete('reborn', 'thread', 'show', '')).toEqual(['--help', '--json']); // no service runs
});

function commandsOf(command: Command): { name: string; help: string }[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const below = commandsBelow(command).flatMap(commandsOf);
  return below.length > 0 && command.parent ? below : [{ name: command.name(), help }, ...below];
}

test.each([
  [['srve'], "reborn: unknown command 'srve'\n(Did you mean serve?)"],
  [['mission', 'lst'], "reborn: unknown command 'lst'\n(Did you mean list?)"],
  [['config', 'get', 'GATEWAY_PROT'], 'reborn: Unknown option GATEWAY_PROT.'],
  [['ask', '--json', '--stream', 'hi'], 'reborn: Choose --json or --stream, not both.'],
])('the error of %j begins with the name of the program', async (args, message) => {
  const { code, stderr } = await reborn(...args);
  expect({ code, stderr: stderr.slice(0, message.length) }).toEqual({ code: 1, stderr: message });
});

test.each([
  ['a file', () => path.join(home, 'settings.env'), 'is not a folder. Set REBORN_HOME to a folder.'],
  ['below a file', () => path.join(home, 'settings.env/below'), "can't be read (ENOTDIR)."],
  ['in /proc', () => '/proc/reborn', "can't be created (ENOENT)."],
])('a home that is %s is refused with what to do, by every command', async (_, odd, message) => {
  for (const command of [
    ['serve'],
    ['ask', 'hi'],
    ['user', 'list'],
    ['config', 'set', 'LOG_LEVEL', 'info'],
    ['upgrade', '--check'],
  ]) {
    const { code, stderr } = await runReborn(command, { env: { REBORN_HOME: odd() } });
    expect({ command, code }).toEqual({ command, code: 78 });
    expect(stderr).toContain(message);
  }
});

test('status finds no service in a home that is a file, and says why', async () => {
  const { code, stderr } = await runReborn(['status'], { env: { REBORN_HOME: path.join(home, 'settings.env') } });
  expect(code).toBe(78);
  expect(stderr).toContain('is not a folder. Set REBORN_HOME to a folder.');
});

test.skipIf(process.platform !== 'linux')('output that can not be written is an error in one line', async () => {
  const [node, program] = await compiledProgram();
  const full = promisify(execFile)('sh', ['-c', '"$0" "$1" config > /dev/full', node, program], {
    env: { ...BARE_ENV, REBORN_HOME: home },
  });
  await expect(full).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^reborn: The output can't be written \(ENOSPC[^\n]*\)\.\n$/),
  });
});

test('a closed pipe ends a command without an error message', async () => {
  const line = `${path.resolve('bin/reborn')} config 2>&1 >&3 3>&- | cat; exit`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 3> >(true); sleep 0.2; ${line}`], {
    env: { ...process.env, REBORN_HOME: home },
  });
  expect(stdout).toBe('');
});
