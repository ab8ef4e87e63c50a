import { expect, test } from 'vitest';
import { findId, shortId } from './find-named.ts';

const morning = { id: '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11', name: 'Morning' };
const evening = { id: '0198c2d4-6d1f-7c3a-9b51-3f2f00001c22', name: 'Evening' };
const again = { id: '0198c2d5-0000-7c3a-9b51-000000000000', name: 'morning' };

const find = (given: string, all = [morning, evening]) =>
  findId(given, async () => all, { kind: 'mission', list: 'reborn mission list' });

test.each([
  ['Morning', morning],
  [' evening ', evening],
  [shortId(evening.id), evening],
  ['0198c2d4-6d1e', morning],
  [again.id, again], // a whole id needs no list
])('%s is found', async (given, { id }) => {
  expect(await find(given)).toBe(id);
});

test.each(['nothing', '0f', ''])('"%s" is nothing', async (given) => {
  await expect(find(given)).rejects.toThrow(
    `The mission "${given}" does not exist. \`reborn mission list\` shows all.`,
  );
});

test.each([
  ['0198c2d4', [morning, evening]],
  ['MORNING', [morning, again]],
])('%s fits two, which are named', async (given, all) => {
  const list = all.map(({ id, name }) => `\n  ${id}  ${name}`).join('');

  await expect(find(given, all)).rejects.toThrow(`"${given}" fits 2 of them. Give the whole id:${list}`);
});
