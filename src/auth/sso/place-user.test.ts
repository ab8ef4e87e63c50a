// @module-tag slow
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cell, joinCell } from '#domain/cell/cell.ts';
import { findHome, findRegistrar } from '#domain/cell/placement.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { connectIdentities, type IdentityDatabase } from '#store/identity-connection.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { createPlacing, type Voucher } from './place-user.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let identities: IdentityDatabase;

beforeAll(async () => {
  database = await openMigratedDatabase();
  identities = connectIdentities(database.connection, () => {});
});

afterEach(() => joinCell(undefined));

afterAll(async () => {
  await identities.destroy();
  await database.close();
});

const REGISTRARS = [1, 2];
const KEY = Buffer.alloc(32, 1);
const listOf = (...cells: Cell[]) => cells.map((cell) => ({ cell, weight: 100 }));

type Given = {
  readonly list?: Cell[];
  readonly voucher?: Voucher;
  readonly isExpected?: boolean;
  readonly key?: Buffer;
};

/** What a cell decides about a person whom it does not know. All use one database, so only one registrar may be asked about each. */
function askCell(cell: Cell, person: Buffer, { list = [1, 2, 3], voucher, isExpected = false, key = KEY }: Given = {}) {
  joinCell(cell);
  const placement = { cells: listOf(...list), registrars: REGISTRARS, keys: [key] as const };
  return createPlacing(identities, placement).findPlace(person, voucher, isExpected);
}

let people = 0;

/** Someone whose registrar is cell 1, and whose home is `home` in a list of three cells. */
function newPerson(home: Cell): Buffer {
  for (;;) {
    const hash = hashSecret(`person ${++people}`);
    const placement = { cells: listOf(1, 2, 3), registrars: REGISTRARS };
    if (findRegistrar(hash, placement) === 1 && findHome(hash, placement.cells) === home) return hash;
  }
}

const signed = (voucher: string | undefined): Voucher => (voucher === undefined ? undefined : { signed: voucher });

const voucherOf = async (asked: ReturnType<typeof askCell>) => {
  const refusal = await asked;
  return refusal?.outcome === 'elsewhere' ? refusal.voucher : undefined;
};

test('the registrar sends people to their home, which takes them with its voucher only', async () => {
  const [person, other] = [newPerson(3), newPerson(3)];
  const voucher = await voucherOf(askCell(1, person));
  const ofOther = await voucherOf(askCell(1, other));

  expect(await askCell(1, person)).toMatchObject({ outcome: 'elsewhere', cell: 3, isGuess: false });
  expect(await askCell(3, person, { voucher: signed(voucher) })).toBeUndefined();
  for (const wrong of ['', '3.', 'repeated', `3.${'a'.repeat(43)}`, ofOther, voucher?.replace('3.', '2.')])
    expect(await askCell(3, person, { voucher: signed(wrong) })).toEqual({
      outcome: 'elsewhere',
      cell: 1,
      isGuess: true,
    });
  expect(await askCell(3, person, { voucher: signed(voucher), key: Buffer.alloc(32, 2) })).toMatchObject({ cell: 1 });
  expect(await askCell(2, person, { voucher: signed(voucher) })).toMatchObject({ cell: 1 });
});

test('a person whose home is the registrar begins there, and any other cell sends them to it', async () => {
  const person = newPerson(1);

  expect(await askCell(2, person)).toEqual({ outcome: 'elsewhere', cell: 1, isGuess: true });
  expect(await askCell(1, person)).toBeUndefined();
});

test('the first decision counts, also for a replica with another list', async () => {
  const person = newPerson(3);

  expect(await askCell(1, person, { list: [1, 2] })).toBeUndefined();
  expect(await askCell(1, person, { list: [1, 2, 3] })).toBeUndefined();
});

test('a cell where an operator has added the person gets them, if its voucher reaches the registrar first', async () => {
  const person = newPerson(3);
  const wish = await voucherOf(askCell(2, person, { isExpected: true }));
  const answer = await askCell(1, person, { voucher: signed(wish) });

  expect(answer).toMatchObject({ cell: 2, isGuess: false });
  expect(
    await askCell(2, person, { voucher: signed(await voucherOf(Promise.resolve(answer))), isExpected: true }),
  ).toBeUndefined();
  expect(await askCell(1, person)).toMatchObject({ cell: 2 });
});

test('a request that the router has repeated needs no voucher, except at the registrar, which decides anyway', async () => {
  const person = newPerson(3);

  expect(await askCell(3, person, { voucher: 'repeated' })).toBeUndefined();
  expect(await askCell(1, person, { voucher: 'repeated' })).toMatchObject({ cell: 3 });
});
