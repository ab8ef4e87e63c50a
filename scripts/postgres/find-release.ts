import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readSource, type Source } from './source.ts';

/*
 * npm run postgres:newest: asks postgresql.org for the newest release of the major version, and writes it with its hash into
 * source.json. It needs the internet; .github/workflows/postgres.yml runs it every day and proposes the change.
 */

const RELEASES = 'https://www.postgresql.org/versions.json';
const DOWNLOADS = 'https://ftp.postgresql.org/pub/source';

/** `source` with the newest release of its major version, or itself if it has that. */
export async function findRelease(source: Source, read: (url: string) => Promise<string>): Promise<Source> {
  const [major] = source.version.split('.');
  const releases = JSON.parse(await read(RELEASES)) as { major: string; latestMinor: string; supported: boolean }[];
  const newest = releases.find((release) => release.major === major);
  if (!newest?.supported) throw new Error(`PostgreSQL ${major} gets no more fixes. Move to a newer major version.`);
  const version = `${major}.${newest.latestMinor}`;
  if (version === source.version) return source;
  const listed = await read(`${DOWNLOADS}/v${version}/postgresql-${version}.tar.bz2.sha256`);
  const [sha256] = /^[0-9a-f]{64}/.exec(listed) ?? [];
  if (!sha256) throw new Error(`The hash of PostgreSQL ${version} could not be read: ${listed.slice(0, 100)}`);
  return { ...source, version, sha256 };
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, '../..');
  const found = await findRelease(await readSource(root), async (url) => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
    return answer.text();
  });
  await writeFile(path.join(root, 'scripts/postgres/source.json'), `${JSON.stringify(found, undefined, 2)}\n`);
  process.stdout.write(`PostgreSQL ${found.version}\n`);
}
