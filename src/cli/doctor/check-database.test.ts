import { expect, test } from 'vitest';
import { readConfig } from '#config/config.ts';
import { readDatabaseFacts } from '../support/database-facts.ts';
import { checkDatabase } from './check-database.ts';

/** There, Node's recursive mkdir never returns. */
const home = '/proc/reborn';

test('a home that cannot be made is a problem of the database, with what to do', async () => {
  const findings = await checkDatabase(readConfig({ REBORN_HOME: home }));
  expect(findings).toMatchObject([{ check: 'database', level: 'problem' }]);
  expect(findings[0]?.message).toMatch(/^\/proc\/reborn can't be created \(\w+\)\. Set REBORN_HOME to a folder/);
});

test('a support bundle says so, too', async () => {
  await expect(readDatabaseFacts(readConfig({ REBORN_HOME: home }))).rejects.toThrow("/proc/reborn can't be created");
});
