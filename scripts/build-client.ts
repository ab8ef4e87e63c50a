import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from './repository.ts';

/** Compiles `@reborn-agent/client` for npm: JavaScript, type declarations and a manifest. */
const root = path.join(import.meta.dirname, '..');
const target = path.resolve(process.argv[2] ?? path.join(root, 'dist/client'));

const OPTIONS = [
  '--noEmit false',
  '--declaration',
  '--rewriteRelativeImportExtensions',
  '--target es2024',
  '--lib esnext',
  '--types node',
  '--module nodenext',
  '--strict',
  '--skipLibCheck',
].flatMap((option) => option.split(' '));
const MODULES = [
  'client',
  'api',
  'socket',
  'thread-state',
  'message-text',
  'text-by-others',
  'running-turn',
  'count-tokens',
  'subagents',
  'follow-thread',
  'send',
  'format',
  'exact-json',
  'approvable',
];

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const sources = MODULES.map((name) => `client/src/${name}.ts`);
execFileSync('npx', ['tsc', '--ignoreConfig', ...OPTIONS, '--outDir', target, ...sources], {
  cwd: root,
  stdio: 'inherit',
});
await cp(path.join(root, 'client/README.md'), path.join(target, 'README.md'));
await cp(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
const { name, version, description, license, type, engines } = JSON.parse(
  await readFile(path.join(root, 'client/package.json'), 'utf8'),
) as Record<string, unknown>;
const manifest = {
  name,
  version,
  description,
  license,
  repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: 'client' },
  type,
  exports: {
    '.': { types: './client.d.ts', default: './client.js' },
    './*': { types: './*.d.ts', default: './*.js' },
  },
  engines,
};
await writeFile(path.join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
process.stdout.write(`${target}\n`);
