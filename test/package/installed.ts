import { execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');

/** The package as npm would lay it out in an empty folder; its dependencies, and no others, are linked from here. */
export async function installPackage() {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-package-'));
  await chmod(folder, 0o755);
  await run(process.execPath, ['scripts/build-package.ts', path.join(folder, 'built')], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--json', './built'], { cwd: folder });
  const installed = path.join(folder, 'node_modules/reborn-agent');
  await mkdir(installed, { recursive: true });
  const [packed] = parsePacked(stdout);
  await run('tar', ['xzf', path.join(folder, packed?.filename ?? ''), '--strip-components=1', '-C', installed]);
  await linkDependencies(folder, installed);
  return { folder, installed, files: packed?.files ?? [], remove: () => rm(folder, { recursive: true }) };
}

type Packed = { filename: string; files: { path: string }[] };

/** npm 12 names each package; before it was a list. */
function parsePacked(stdout: string): Packed[] {
  return Object.values(JSON.parse(stdout) as Record<string, Packed>);
}

async function linkDependencies(folder: string, installed: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), link);
  }
}

/** Starts the installed command as a user does, and waits until it listens. */
export async function serve(installed: string, home: string, as: SpawnOptions = {}) {
  const child = spawn(process.execPath, [path.join(installed, 'bin/reborn.js'), 'serve'], {
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      REBORN_HOME: path.join(home, '.reborn'),
      GATEWAY_PORT: '0',
      HTTP_PORT: '0',
      HTTP_HOST: '127.0.0.1',
      HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
      SERVICE_REBORN_WEBUI_TOKEN: TOKEN,
    },
    ...as,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  const address = (what: RegExp) =>
    waitFor('the service to listen', async () => {
      if (child.exitCode !== null) throw new Error(`The service exited:\n${output}`);
      return what.exec(output)?.[1];
    });
  return {
    gateway: await address(/The gateway is at (http:\/\/[\d.:]+)/),
    webhook: await address(/The webhook channel is at (http:\/\/[\d.:]+)/),
    stop: async () => {
      child.kill('SIGTERM');
      return ((await exited) as [number | null])[0];
    },
  };
}
