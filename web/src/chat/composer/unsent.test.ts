import { expect, test } from 'vitest';
import { countUnsent, createUnsent, type Unsent } from './unsent.ts';

/** Pages that share a storage. The service accepts a message of a page when `accept` is called for it. */
function browser() {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
    key: (index: number) => [...stored.keys()][index] ?? null,
    get length() {
      return stored.size;
    },
  };
  const open = () => {
    const sent: { unsent: Unsent; accept: () => void; refuse: () => void }[] = [];
    const page = createUnsent({
      thread: 't',
      storage,
      shown: async () => {},
      send: (unsent) =>
        new Promise((resolve, reject) =>
          sent.push({ unsent, accept: () => resolve({ turn_id: unsent.key }), refuse: () => reject(new Error('No.')) }),
        ),
    });
    return { ...page, sent };
  };
  return { open, stored, storage };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('messages that the service has not accepted survive a reload, and are sent in order with the same keys', async () => {
  const { open, stored } = browser();
  const before = open();
  for (const message of ['one', 'two', 'three']) void before.add({ key: `key ${message}`, message });
  await settled();
  expect(before.sent.map(({ unsent }) => unsent.message)).toEqual(['one']);

  const after = open();
  expect(after.list().map(({ message }) => message)).toEqual(['one', 'two', 'three']);
  after.resume(() => {});
  for (let n = 0; n < 3; n++) {
    await settled();
    after.sent[n]?.accept();
  }
  await settled();
  expect(after.sent.map(({ unsent }) => unsent.key)).toEqual(['key one', 'key two', 'key three']);
  expect([after.list(), stored.size]).toEqual([[], 0]);
});

test('a message that the service refuses does not hold up the next one', async () => {
  const page = browser().open();
  const refused = page.add({ key: '1', message: 'one' });
  const accepted = page.add({ key: '2', message: 'two' });
  await settled();
  page.sent[0]?.refuse();
  await expect(refused).rejects.toThrow('No.');
  await settled();
  page.sent[1]?.accept();
  await accepted;
  expect(page.list()).toEqual([]);
});

test('messages that wait in all threads are counted', async () => {
  const { open, stored, storage } = browser();
  stored.set('reborn.draft.t', 'another text');
  expect(countUnsent(storage)).toBe(0);
  const page = open();
  for (const message of ['one', 'two']) void page.add({ key: message, message });
  stored.set('reborn.unsent.other', JSON.stringify([{ key: 'three', message: 'three' }]));
  expect(countUnsent(storage)).toBe(3);
});
