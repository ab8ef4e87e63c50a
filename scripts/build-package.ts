import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listInstalled } from './package/installed-packages.ts';
import { layOutProgram, writeJson } from './package/lay-out-program.ts';
import { packageManifest } from './package/manifests.ts';
import { listNativeParts } from './package/native-parts.ts';
import { listNotices } from './package/notices.ts';
import { makeSbom } from './package/sbom.ts';

const TEXTS = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'];

const root = path.join(import.meta.dirname, '..');
const target = path.resolve(process.argv[2] ?? path.join(root, 'dist/package'));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await layOutProgram(root, target);
buildBrowserApp();
for (const text of TEXTS) await cp(path.join(root, text), path.join(target, text));
const { name, version } = await packageManifest(root);
const packages = await listInstalled(root, ['', 'web']);
await writeFile(path.join(target, 'THIRD-PARTY-NOTICES.md'), await listNotices(root, packages));
await writeJson(path.join(target, 'sbom.cdx.json'), makeSbom(name, version, packages, await listNativeParts(root)));
process.stdout.write(`${target}\n`);

/** Always rebuilt, because an existing build may be older than its sources. */
function buildBrowserApp(): void {
  const words = ['run', '--silent', 'web', '--', '--emptyOutDir', '--outDir', path.join(target, 'web/dist')];
  execFileSync('npm', words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
