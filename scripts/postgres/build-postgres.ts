import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { findForeignLibraries } from './foreign-libraries.ts';
import { pickFiles } from './pick-files.ts';
import { platformManifest } from './platform-manifest.ts';
import { readSource } from './source.ts';
import { tryServer } from './try-server.ts';

/*
 * npm run postgres -- postgresql-18.6.tar.bz2     from a release, whose hash must be the one in source.json
 * npm run postgres -- FOLDER                      from a folder with unpacked sources, such as Debian's source package
 *
 * Builds the smallest PostgreSQL that the service needs, without OpenSSL, libxml2, ICU and readline, and packs it for npm as
 * dist/postgres/reborn-agent-postgres-PLATFORM-VERSION.tgz. It needs a C compiler, make, perl, and for folders bison and flex.
 */

const root = path.join(import.meta.dirname, '../..');
const given = path.resolve(process.argv[2] ?? '');
const work = await mkdtemp(path.join(tmpdir(), 'reborn-postgres-'));
const target = path.join(root, 'dist/postgres');
const platform = `${process.platform}-${process.arch}`;

const source = await unpack();
const installed = await compile(source);
const folder = path.join(work, 'package');
await pickFiles(installed, path.join(folder, 'native'));
const foreign = await findForeignLibraries(path.join(folder, 'native'));
if (foreign.length > 0)
  throw new Error(`The programs need libraries that not every system has: ${foreign.join(', ')}.`);
const version = await tryServer(path.join(folder, 'native'));
await describe(version);
await mkdir(target, { recursive: true });
run('npm', ['pack', '--silent', '--pack-destination', target, folder], root);
await rm(work, { recursive: true });
process.stdout.write(`PostgreSQL ${version} for ${platform} is in ${target}.\n`);

async function unpack(): Promise<string> {
  if ((await stat(given)).isDirectory()) return given;
  const { sha256 } = await readSource(root);
  const found = createHash('sha256')
    .update(await readFile(given))
    .digest('hex');
  if (found !== sha256) throw new Error(`${given} has the SHA-256 ${found}, but source.json says ${sha256}.`);
  const unpacked = path.join(work, 'source');
  await mkdir(unpacked);
  run('tar', ['-xf', given, '--strip-components=1', '-C', unpacked], work);
  return unpacked;
}

/** PostgreSQL finds its files from the place of its programs, so the prefix is only a name. */
async function compile(from: string): Promise<string> {
  const [build, staged] = [path.join(work, 'build'), path.join(work, 'installed')];
  await mkdir(build);
  const origin = process.platform === 'darwin' ? '@loader_path/../lib' : "'$$ORIGIN/../lib'";
  const without = ['openssl', 'libxml', 'icu', 'readline', 'zlib', 'gssapi', 'ldap', 'pam'].map(
    (name) => `--without-${name}`,
  );
  run(
    path.join(from, 'configure'),
    ['--quiet', '--prefix=/postgres', '--disable-rpath', ...without, `LDFLAGS_EX=-Wl,-rpath,${origin}`],
    build,
  );
  run('make', ['--silent', `--jobs=${os.availableParallelism()}`, '-C', 'src', 'all'], build);
  run('make', ['--silent', '-C', 'src', 'install', `DESTDIR=${staged}`], build);
  return path.join(staged, 'postgres');
}

async function describe(release: string): Promise<void> {
  const manifest = await platformManifest(root, platform, release);
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await cp(path.join(source, 'COPYRIGHT'), path.join(folder, 'native/LICENSE'));
  const text = `The programs of PostgreSQL ${release} for ${platform} that [reborn-agent](https://www.npmjs.com/package/reborn-agent) starts,\nbuilt without OpenSSL, libxml2 and ICU.\n`;
  await writeFile(path.join(folder, 'README.md'), text);
}

function run(program: string, words: readonly string[], cwd: string): void {
  execFileSync(program, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
