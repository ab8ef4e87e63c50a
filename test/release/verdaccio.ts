import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runIn } from '../../bench/peers/install.ts';
import { ROOT } from '../support/cached-folder.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';

const VERSION = '6.10.4';

/** A registry on loopback that anyone may publish to. Packages of others come from `upstream`. */
export async function startVerdaccio(upstream: string) {
  const program = await install();
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-registry-'));
  const url = `http://127.0.0.1:${await findFreePort()}`;
  await writeFile(path.join(folder, 'config.yaml'), configure(folder, upstream));
  const words = [program, '--config', path.join(folder, 'config.yaml'), '--listen', url];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitFor('the registry to answer', async () => (await fetch(`${url}/-/ping`).catch(() => undefined))?.ok);
  return {
    url,
    /** npm wants a token, although the registry asks for none. */
    publish: (tarball: string) => {
      const token = `--//${new URL(url).host}/:_authToken=anybody`;
      return runIn(folder, 'npm', [
        'publish',
        tarball,
        '--access=public',
        `--registry=${url}`,
        '--tag=rehearsal',
        token,
      ]);
    },
    close: async () => {
      child.kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function install(): Promise<string> {
  const folder = path.join(ROOT, 'node_modules/.cache/verdaccio', VERSION);
  const program = path.join(folder, 'node_modules/verdaccio/bin/verdaccio');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERSION },
    overrides: { 'node-fetch': '2.7.0' }, // it asks for a dist-tag, which a mirror may not have
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await runIn(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  return program;
}

const configure = (folder: string, upstream: string): string => `
storage: ${folder}/storage
uplinks:
  npm:
    url: ${upstream}
packages:
  reborn-agent:
    access: $all
    publish: $all
  '@reborn-agent/*':
    access: $all
    publish: $all
  '**':
    access: $all
    proxy: npm
max_body_size: 100mb
log: { type: stdout, level: fatal }
`;
