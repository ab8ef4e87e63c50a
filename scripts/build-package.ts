import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compileSources } from './package/compile-sources.ts';
import { listInstalled } from './package/installed-packages.ts';
import { LAUNCHER } from './package/launcher.ts';
import { packageManifest, sdkManifest } from './package/manifests.ts';
import { listNotices } from './package/notices.ts';
import { makeSbom } from './package/sbom.ts';

/** The published files, laid out as in the checkout, because programs and texts are found by their path. */
const COPIED = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'wit', 'sdk/template'];
/** They run inside a jail, which receives their source text. */
const INSIDE_JAILS = 'src/tools/component/jail/inside';

const root = path.join(import.meta.dirname, '..');
const target = path.resolve(process.argv[2] ?? path.join(root, 'dist/package'));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await compileSources(root, target);
buildBrowserApp();
for (const item of COPIED) await cp(path.join(root, item), path.join(target, item), { recursive: true });
await copyTexts(INSIDE_JAILS);
await copyTexts('sdk/src'); // the types for tool authors
await mkdir(path.join(target, 'bin'));
await writeFile(path.join(target, 'bin/reborn.js'), LAUNCHER, { mode: 0o755 });
const manifest = await packageManifest(root);
await write('package.json', manifest);
await write('sdk/tool-package.json', await sdkManifest(root));
const packages = await listInstalled(root, ['', 'web']);
await writeFile(path.join(target, 'THIRD-PARTY-NOTICES.md'), await listNotices(root, packages));
await write('sbom.cdx.json', makeSbom(manifest.name, manifest.version, packages));
process.stdout.write(`${target}\n`);

/** Always rebuilt, because an existing build may be older than its sources. */
function buildBrowserApp(): void {
  const words = ['run', '--silent', 'web', '--', '--emptyOutDir', '--outDir', path.join(target, 'web/dist')];
  execFileSync('npm', words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function copyTexts(folder: string): Promise<void> {
  await cp(path.join(root, folder), path.join(target, folder), {
    recursive: true,
    filter: (file) => !file.endsWith('.test.ts'),
  });
}

function write(file: string, value: object): Promise<void> {
  return writeFile(path.join(target, file), `${JSON.stringify(value, undefined, 2)}\n`);
}
