import { execFileSync } from 'node:child_process';
import { chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';

const NOBODY = { uid: 65_534, gid: 65_534 };

/** Starts a server of programs that were moved since they were built, as an installation does, and returns its version. */
export async function tryServer(native: string): Promise<string> {
  const area = await mkdtemp(path.join(tmpdir(), 'reborn-postgres-try-'));
  const user = process.getuid?.() === 0 ? NOBODY : undefined; // it refuses to run as root
  const [moved, data] = [path.join(area, 'elsewhere'), path.join(area, 'data')];
  const run = (program: string, words: string[]) =>
    execFileSync(path.join(moved, 'bin', program), words, {
      cwd: area,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { LC_ALL: 'C', TZ: 'UTC' },
      ...user,
    });
  await cp(native, moved, { recursive: true });
  if (user) await chown(area, user.uid, user.gid);
  try {
    run('initdb', ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth=trust']);
    run('pg_ctl', ['-D', data, '-s', '-w', '-o', `-c listen_addresses= -c unix_socket_directories=${area}`, 'start']);
    try {
      return await askVersion(area);
    } finally {
      run('pg_ctl', ['-D', data, '-s', '-m', 'immediate', 'stop']);
    }
  } finally {
    await rm(area, { recursive: true });
  }
}

/** Uses what the service does: a time zone, words of a language, a collation and a procedure in PL/pgSQL. */
async function askVersion(host: string): Promise<string> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(`do $$ begin perform now() at time zone 'Europe/Oslo', to_tsvector('german', 'Häuser'); end $$`);
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return rows[0]?.version ?? '';
  } finally {
    await client.end();
  }
}
