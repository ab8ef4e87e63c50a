import { expect, test } from 'vitest';
import type { Client } from './client.ts';
import { importChats } from './import-chats.ts';

type Sent = { conversations: { id: string }[]; own: boolean };

/** A service that remembers what it has imported, and answers only as often as `answers` says. */
function service(answers = Number.POSITIVE_INFINITY) {
  const known = new Set<string>();
  const sent: Sent[] = [];
  const call = async (_: string, { body }: { body: Sent }) => {
    if (sent.length === answers) throw new Error('The service does not answer.');
    sent.push(body);
    const results = body.conversations.map(({ id }) => ({ state: known.has(id) ? 'known' : 'imported' }));
    for (const { id } of body.conversations) known.add(id);
    return { results };
  };
  return { client: { call } as unknown as Client, sent, known };
}

/** The text in chunks of a few bytes, so that every place of it is once at the edge of one. */
const streamOf = (text: string, size = 3) => {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
};

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `chat ${index}` }));

test('conversations are sent as they stand in the file, wherever it is cut into chunks', async () => {
  const chats = [
    { id: 'a "quoted" [name]', mapping: { x: { text: '}]\\", {' } } },
    { id: 'blåbær 🫐', list: [[]] },
  ];
  for (const size of [1, 2, 3, 7, 1000]) {
    const { client, sent } = service();
    const totals = await importChats(client, streamOf(`\uFEFF ${JSON.stringify(chats, null, 2)}\n`, size));
    expect(sent).toEqual([{ conversations: chats, own: false }]);
    expect(totals).toMatchObject({ imported: 2, known: 0 });
  }
});

test('a long file is sent in parts, and says how far it is', async () => {
  const { client, sent } = service();
  const seen: number[] = [];
  const onProgress = ({ imported }: { imported: number }) => seen.push(imported);
  await importChats(client, streamOf(JSON.stringify(many(120)), 100), { own: true, onProgress });
  expect(sent.map(({ conversations, own }) => [conversations.length, own])).toEqual([
    [50, true],
    [50, true],
    [20, true],
  ]);
  expect(seen).toEqual([50, 100, 120]);
});

test('an import that was cut off is continued by the same file', async () => {
  const cut = service(1);
  const file = () => streamOf(JSON.stringify(many(80)), 100);
  await expect(importChats(cut.client, file())).rejects.toThrow('does not answer');
  const again = service();
  for (const id of cut.known) again.known.add(id);
  expect(await importChats(again.client, file())).toMatchObject({ imported: 30, known: 50 });
});

test.each(['{"id": "a"}', '<html>', '[1, 2]', '[{"id": "a"}, {"id": "b', '[{"id" "a"}]', ''])(
  'what is not a whole list of conversations is refused: %s',
  async (text) => {
    const { client } = service();
    await expect(importChats(client, streamOf(text))).rejects.toMatchObject({ name: 'NotAnExport' });
  },
);
