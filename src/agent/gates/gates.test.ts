import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GateId, ItemId, ThreadId, TurnId, WorkspaceId } from '#domain/ids.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Gate, GateKind } from '#domain/tool/gate.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { putPairing } from '#store/accounts/pairings.ts';
import { type Owner, withOwner } from '#store/connection.ts';
import { createRegistry } from '#tools/registry.ts';
import type { Tool } from '#tools/tool.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { checkAnswer, type DecisionFacts, decideCall } from './gates.ts';

const position = {
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  position: 0,
  usage: null,
  startedAt: null,
  attempt: 0,
};
const call = (name: string): FunctionCallItem => ({
  ...position,
  id: '00000000-0000-7000-8000-000000000001' as ItemId,
  type: 'function_call',
  external: false,
  callId: 'call_1',
  arguments: '{"a": 1}',
  name,
  turnSeq: 2,
});
const gate = (kind: GateKind): Gate => ({
  id: 'g' as GateId,
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  kind,
  call: call('look'),
});

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

const owner = { userId: 'ann' };
const unread = {
  workspace: 'w' as WorkspaceId,
  threadId: 't' as ThreadId,
  run: 'u' as TurnId,
  mission: undefined,
  readBefore: () => readNothing(),
  callsAfter: () => [],
};

/** The decision on a call of `look`, a tool with these traits, or of another tool. */
async function decide(traits: Partial<Tool>, made = call('look'), facts: Partial<DecisionFacts> = {}) {
  const definition = { name: 'look', description: null, parameters: null, strict: null };
  const look: Tool = { definition, repeatable: true, level: 'allow', call: async () => '', ...traits };
  const tools = await createRegistry([look]).current({ userId: 'ann' });
  const raise: DecisionFacts['raise'] = async (_tool, _call, level) => level;
  return decideCall(made, { db: database.db, owner, tools, started: false, raise, ...unread, ...facts });
}

test("a call of the caller's tool opens an external gate at every level", async () => {
  const made = { ...call('look'), external: true };

  expect(await decide({ level: 'never' }, made)).toEqual({
    kind: 'gate',
    gate: { id: expect.any(String), kind: 'external-tool', call: made },
  });
});

const signIn = { needsSignIn: async ({ userId }: Owner) => userId === 'ann' || userId === 'webhook:ann' };

test('a call of a tool without a sign-in opens an auth gate before an approval gate', async () => {
  expect(await decide({ ...signIn, level: 'ask' })).toMatchObject({ gate: { kind: 'auth', call: call('look') } });
});

test('a webhook user that would have to sign in needs to be paired first', async () => {
  const webhook = { userId: 'webhook:ann' };
  expect(await decide(signIn, call('look'), { owner: webhook })).toMatchObject({ gate: { kind: 'pairing' } });

  await withOwner(database.db, webhook, (trx) => unrecorded(trx, (writing) => putPairing(writing, webhook, 'ann')));
  expect(await decide(signIn, call('look'), { owner: webhook })).toMatchObject({ gate: { kind: 'auth' } });
  await withOwner(database.db, webhook, (trx) => unrecorded(trx, (writing) => putPairing(writing, webhook, 'bob')));
  expect(await decide(signIn, call('look'), { owner: webhook })).toMatchObject({
    kind: 'allowed',
    secretsOf: { userId: 'bob' },
  });
});

test('a call that needs approval opens an approval gate for this version of the tool', async () => {
  expect(await decide({ level: 'ask', revision: 'r1' })).toEqual({
    kind: 'gate',
    gate: {
      id: expect.any(String),
      kind: 'approval',
      call: call('look'),
      revision: 'r1',
      asked: { reason: 'tool', situation: 'clean', because: [] },
    },
  });
});

test('a call that was let through before a crash is not asked about again, but may have been forbidden since', async () => {
  expect(await decide({ level: 'ask' }, call('look'), { started: true })).toMatchObject({ kind: 'allowed' });
  expect(await decide({ level: 'never' }, call('look'), { started: true })).toEqual({ kind: 'forbidden' });
});

test('any other call needs no gate', async () => {
  expect(await decide({ level: 'allow' })).toMatchObject({ kind: 'allowed', secretsOf: owner });
  expect(await decide(signIn, call('elsewhere'))).toMatchObject({ kind: 'allowed', tool: undefined });
});

test('the call_id of the pending call opens the gate', () => {
  const open = gate('external-tool');

  expect(checkAnswer(open, ['call_1'])).toBe(open);
});

test.each([[[]], [['call_2']], [['']], [['call_1', 'call_1']], [['call_1', 'call_2']], [['call_2', 'call_1']]])(
  'the answers %j are refused, and the pending call_id is named',
  (callIds) => {
    expect(() => checkAnswer(gate('external-tool'), callIds)).toThrow(
      expect.objectContaining({
        name: 'InvalidRequest',
        code: 'call_id_mismatch',
        param: 'input.call_id',
        message: expect.stringContaining('"call_1"'),
      }),
    );
  },
);

test('an answer to a thread that waits for nothing is refused', () => {
  expect(() => checkAnswer(undefined, ['call_1'])).toThrow(
    expect.objectContaining({ name: 'InvalidRequest', code: 'no_pending_call', param: 'input' }),
  );
});

test.each<[GateKind, says: string]>([
  ['approval', 'an approval'],
  ['auth', 'a sign-in'],
  ['pairing', 'paired'],
])('an answer to a thread at a gate of kind %s is refused, and says what it waits for', (kind, says) => {
  expect(() => checkAnswer(gate(kind), ['call_1'])).toThrow(
    expect.objectContaining({ code: 'no_pending_call', param: 'input', message: expect.stringContaining(says) }),
  );
});

test('one card asks about all calls of an answer, except those that need no approval or have a separate card', async () => {
  const definition = (name: string) => ({ name, description: null, parameters: null, strict: null });
  const tool = (name: string, more: Partial<Tool>): Tool => ({
    definition: definition(name),
    repeatable: true,
    level: 'ask',
    call: async () => '',
    ...more,
  });
  const tools = await createRegistry([
    tool('look', {}),
    tool('send', {}),
    tool('read', { level: 'allow' }),
    tool('pay', { flow: { reads: {}, runs: 'clean', irreversible: true } }),
  ]).current(owner);
  const others = ['read', 'send', 'pay', 'unknown'].map((name) => ({ ...call(name), callId: `call_${name}` }));
  const askedAbout = async (made: ReturnType<typeof call>) => {
    const found = await decide({}, made, { tools, callsAfter: () => others });
    return found.kind === 'gate' ? found.gate.asked?.others?.map((asked) => asked.call.name) : found.kind;
  };

  expect(await askedAbout(call('look'))).toEqual(['send']);
  expect(await askedAbout(call('pay'))).toBeUndefined();
});
