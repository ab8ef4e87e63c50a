import { afterAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { findPairedUser, putPairing } from '#store/accounts/pairings.ts';
import { readAudit } from '#store/audit.ts';
import { withOwner } from '#store/connection.ts';
import { connectIdentities } from '#store/identity-connection.ts';
import {
  hasStandingApproval,
  insertStandingApproval,
  type NewStandingApproval,
} from '#store/tools/standing-approvals.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { createPairings } from './pairings.ts';
import { createStandingApprovals } from './standing-approvals.ts';

const database = await openMigratedDatabase();
const { db, everything } = database;
const pairings = createPairings(db);
const approvals = createStandingApprovals(db);

const [ann, bob]: [Principal, Principal] = [
  { userId: 'ann', role: 'member' },
  { userId: 'bob', role: 'member' },
];
const admin: Principal = { userId: 'admin', role: 'operator' };
const hook = { userId: 'webhook:triage' };

const identities = connectIdentities(database.connection, () => {});
let recordedBefore = '0';
const entries = () => readAudit(identities, { before: undefined, limit: 100 });
const recorded = async () => {
  const since = (await entries()).filter(({ id }) => BigInt(id) > BigInt(recordedBefore));
  return since.map(({ actor, action, subject, detail }) => ({ actor, action, subject, detail }));
};

beforeEach(async () => {
  recordedBefore = (await entries())[0]?.id ?? '0';
  await everything.query('delete from pairings; delete from standing_approvals');
  await withOwner(db, hook, (trx) => unrecorded(trx, (writing) => putPairing(writing, hook, 'ann')));
  const approval: NewStandingApproval = {
    tool: 'send',
    revision: null,
    shape: 'n = 1',
    digest: 'd',
    situation: 'clean',
    missionId: null,
  };
  await withOwner(db, ann, (trx) => unrecorded(trx, (writing) => insertStandingApproval(writing, ann, approval)));
});

afterAll(async () => {
  await identities.destroy();
  await database.close();
});

test('the owner of the secrets sees the pairing and ends it; another member can do neither', async () => {
  expect(await pairings.list(bob)).toEqual([]);
  await expect(pairings.remove(bob, hook.userId)).rejects.toThrow('This pairing does not exist');
  expect(await pairings.list(ann)).toMatchObject([{ userId: hook.userId, pairedUserId: 'ann' }]);

  await pairings.remove(ann, hook.userId);
  expect(await withOwner(db, hook, (trx) => findPairedUser(trx, hook))).toBeUndefined();
  expect(await recorded()).toEqual([{ actor: 'ann', action: 'pairing.remove', subject: hook.userId, detail: {} }]);
});

test('the giver of a standing approval takes it back; another member can neither see nor use nor revoke it', async () => {
  const [given] = await approvals.list(ann);
  expect(given).toMatchObject({ tool: 'send', shape: 'n = 1' });
  expect(await approvals.list(bob)).toEqual([]);
  expect(await withOwner(db, bob, (trx) => hasStandingApproval(trx, bob, ['d'], 'clean'))).toBe(false);
  await expect(approvals.revoke(bob, given?.id ?? '')).rejects.toThrow('This approval does not exist');
  await expect(approvals.revoke(ann, 'no id')).rejects.toThrow('This approval does not exist');

  await approvals.revoke(ann, given?.id ?? '');
  expect(await withOwner(db, ann, (trx) => hasStandingApproval(trx, ann, ['d'], 'clean'))).toBe(false);
  expect(await recorded()).toEqual([{ actor: 'ann', action: 'approval.revoke', subject: given?.id, detail: {} }]);
});

test.each([OPERATOR, admin])(
  'an operator ($userId) sees and takes back everything, under the own name',
  async (operator) => {
    expect(await pairings.list(operator)).toHaveLength(1);
    const [given] = await approvals.list(operator);
    await pairings.remove(operator, hook.userId);
    await approvals.revoke(operator, given?.id ?? '');

    expect([await pairings.list(operator), await approvals.list(operator)]).toEqual([[], []]);
    expect((await recorded()).map(({ actor }) => actor)).toEqual([operator.userId, operator.userId]);
  },
);
