import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isCurrentBuild } from '../web/source-hash.ts';
import { listDirect, listInstalled } from './package/installed-packages.ts';
import { layOutProgram, writeJson } from './package/lay-out-program.ts';
import { packageManifest } from './package/manifests.ts';
import { listNativeParts } from './package/native-parts.ts';
import { listNotices } from './package/notices.ts';
import { makeSbom } from './package/sbom.ts';
import { manualPage } from './reference/manual-page.ts';

/** The program and the browser app, by their folders. */
const PARTS = ['', 'web'];
const TEXTS = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'];

const root = path.join(import.meta.dirname, '..');
const target = path.resolve(process.argv[2] ?? path.join(root, 'dist/package'));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await layOutProgram(root, target);
await placeBrowserApp();
for (const text of TEXTS) await cp(path.join(root, text), path.join(target, text));
const { name, version } = await packageManifest(root);
await mkdir(path.join(target, 'man'));
await writeFile(path.join(target, 'man/reborn.1'), await manualPage(version));
const packages = await listInstalled(root, PARTS);
const direct = await listDirect(root, PARTS);
const native = await listNativeParts(root);
await writeFile(path.join(target, 'THIRD-PARTY-NOTICES.md'), await listNotices(root, packages));
await writeJson(path.join(target, 'sbom.cdx.json'), makeSbom({ name, version, packages, direct, native }));
process.stdout.write(`${target}\n`);

/** A copy of the last build, unless it is older than its sources. */
async function placeBrowserApp(): Promise<void> {
  const [built, folder] = [path.join(root, 'web/dist'), path.join(target, 'web/dist')];
  if (await isCurrentBuild(built)) return cp(built, folder, { recursive: true });
  const words = ['run', '--silent', 'web', '--', '--emptyOutDir', '--outDir', folder];
  execFileSync('npm', words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
