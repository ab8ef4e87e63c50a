import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import type { Command } from 'commander';
import { strToU8, zipSync } from 'fflate';
import { type Config, readConfig } from '#config/config.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { findOperatorToken, findService, type RunningService } from '../connect/running-service.ts';
import { examine } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { printNotice } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { findManager, thisMachine } from '../service/manager.ts';
import { readDatabaseFacts } from './database-facts.ts';
import { reduceLogLine } from './log-lines.ts';
import { explainSettings, figuresOf, findSecrets, scrub } from './without-secrets.ts';

type Options = { readonly log?: string; readonly force?: true };

/** `reborn support-bundle`: what others need to help, in one file without content and secrets. */
export function addSupportBundleCommand(program: Command): void {
  program
    .command('support-bundle')
    .argument('[file]', 'where to write it', 'reborn-support.zip')
    .option('--log <file>', 'the log, as JSON lines; of an installed service it is found')
    .option('--force', 'write over a file that is there')
    .description('Save facts for a bug report in one file: no messages, no secrets, no addresses.')
    .addHelpText(
      'after',
      '\nExample:\n  docker logs reborn > reborn.log\n  reborn support-bundle --log reborn.log\n\n' +
        'Exit codes: 0 written, 1 failed. Look into the file before you pass it on.',
    )
    .action(writeBundle);
}

function writeBundle(file: string, { log, force }: Options): Promise<void> {
  return runCommand(async () => {
    if (!force && existsSync(file))
      throw new Error(`${file} exists. Choose another name, or add --force to write over it.`);
    const config = readConfig();
    const secrets = await findSecrets(config);
    const texts = await collect(config, log);
    const files = Object.entries(texts).map(([name, text]) => [name, strToU8(scrub(text, secrets))] as const);
    await writeFile(file, zipSync(Object.fromEntries(files)), { mode: 0o600 });
    printNotice(`Saved ${Object.keys(texts).join(', ')} in ${file}. Look into it before you pass it on.`);
  });
}

const LOG_LINES = 20_000;

/** The files of the bundle. A part that can't be had says so, and the others are there. */
async function collect(config: Config, log: string | undefined): Promise<Record<string, string>> {
  const running = await findService(config);
  return {
    'machine.json': await part(describeMachine),
    'settings.json': await part(() => explainSettings()),
    'doctor.json': await part(async () => (await examine(true)).map(reduceFinding)),
    'status.json': await part(async () => figuresOf(await ask(config, running, '/api/status'), STATUS_TEXTS)),
    'replicas.json': await part(async () => figuresOf(await ask(config, running, '/api/replicas'), STATUS_TEXTS)),
    'database.json': await part(() => readDatabaseFacts(config)),
    'metrics.txt': await part(() => ask(config, running, '/metrics')),
    'log.jsonl': await part(() => readLog(config, log)),
  };
}

async function part(act: () => unknown): Promise<string> {
  try {
    const found = await act();
    return typeof found === 'string' ? found : `${JSON.stringify(found, null, 2)}\n`;
  } catch (error) {
    // The message may contain an address.
    return `${JSON.stringify({ failed: error instanceof Error ? error.name : 'Error' })}\n`;
  }
}

const describeMachine = () => ({
  reborn: packageJson.version,
  node: process.versions.node,
  platform: process.platform,
  arch: process.arch,
  release: os.release(),
  cores: os.availableParallelism(),
  memory_bytes: os.totalmem(),
  free_bytes: os.freemem(),
  load: os.loadavg(),
});

/** The messages of these checks are sentences of ours with versions and figures. Others name receivers, tools, people and addresses. */
const PLAIN_CHECKS = ['versions', 'schema', 'clock', 'tool jail'];

const reduceFinding = ({ check, level, message }: Finding) => ({
  check,
  level,
  message: PLAIN_CHECKS.includes(check) ? message : '(left out; `reborn doctor` shows it)',
});

const STATUS_TEXTS = ['status', 'version', 'provider', 'kind', 'id', 'started_at'];

async function ask(config: Config, running: RunningService | undefined, route: string): Promise<unknown> {
  if (!running) return { running: false };
  const token = (await findOperatorToken(config)) ?? '';
  const signal = AbortSignal.timeout(15_000);
  const response = await fetch(running.url + route, { headers: { authorization: `Bearer ${token}` }, signal });
  if (!response.ok) return { failed: response.status };
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text();
}

/** The newest lines, without content. */
async function readLog(config: Config, file: string | undefined): Promise<string> {
  const text = file === undefined ? readInstalledLog(config) : await readFile(file, 'utf8');
  const lines = text
    .split('\n')
    .slice(-LOG_LINES - 1)
    .map(reduceLogLine);
  return lines.flatMap((line) => (line ? [`${JSON.stringify(line)}\n`] : [])).join('');
}

/** What systemd or launchd keeps; empty if no service is installed. */
function readInstalledLog({ home }: Config): string {
  const manager = findManager(thisMachine());
  if (!manager || !existsSync(manager.file)) return '';
  const [program, ...words] = manager.logs({ lines: LOG_LINES, home });
  return spawnSync(program, words, { encoding: 'utf8', maxBuffer: 256e6 }).stdout ?? '';
}
