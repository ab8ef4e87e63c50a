import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { SETTINGS } from '../../support/service.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let database: OpenDatabase;

beforeAll(async () => {
  home = await freshHome();
  database = await openDatabase({ url: home.env.DATABASE_URL, home: home.home });
});

afterAll(async () => {
  await database.close();
  await home.remove();
});

/** The warnings of a start with these settings. */
async function warningsWith(env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const app = await startApp(readConfig({ ...SETTINGS, ...home.env, ...env }), pino({ level: 'warn' }, sink));
  await app.close();
  return lines.join('');
}

test('a start warns about a weak token on a public host, without repeating the token', async () => {
  const exposed = { GATEWAY_HOST: '0.0.0.0', GATEWAY_AUTH_TOKEN: 'hunter2' };
  const warnings = await warningsWith(exposed);

  expect(warnings).toContain('GATEWAY_AUTH_TOKEN is weak');
  expect(warnings).not.toContain('hunter2');
  expect(await warningsWith({ ...exposed, GATEWAY_HOST: '127.0.0.1' })).not.toContain('weak');
});

test.skipIf(process.env['DATABASE_URL'])(
  'a start warns about a database role that bypasses row-level security, by name',
  async () => {
    const { host, password } = database.connection as { host: string; password: string };
    const admin = new pg.Client({ ...database.connection, user: 'postgres', database: 'postgres' });
    await admin.connect();
    await admin.query('create database walls owner reborn');
    await admin.query(`create role walker login bypassrls password '${password}'`);
    await admin.query('grant reborn to walker');
    await admin.end();
    const as = (role: string) => ({
      DATABASE_URL: `postgres://${role}:${password}@/walls?host=${encodeURIComponent(host)}`,
    });

    expect(await warningsWith(as('reborn'))).not.toContain('row-level security');
    for (const role of ['postgres', 'walker'])
      expect(await warningsWith(as(role))).toContain(`role \\"${role}\\" bypasses row-level security`);
  },
);
