import { expect, test } from 'vitest';
import type { AttachmentHash } from '#domain/ids.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';
import type { AttachedPart, ItemBody } from '#domain/thread/item.ts';
import { ChatFailed } from '../chat-port.ts';
import { composeFiles } from './turn-files.ts';

const where = 'Download it here: https://reborn.example/threads/1';
const file = (filename: string, bytes = 10, more: object = {}): AttachedPart => ({
  type: 'file',
  filename,
  mediaType: 'text/csv',
  sha256: `hash of ${filename}` as AttachmentHash,
  bytes,
  ...more,
});
const output = (...parts: AttachedPart[]): ItemBody => ({
  type: 'function_call_output',
  callId: 'call_1',
  output: [{ type: 'text', text: 'Shown.' }, ...parts],
});
const read = async () => Buffer.from('the bytes');
const compose = (made: ItemBody[], style: 'chat' | 'letter' = 'chat', reading = read) =>
  composeFiles(made, { port: { style, mostFileBytes: 100 }, read: reading, where });

test('a picture that code has drawn and the agent has presented goes out once, under its name', async () => {
  const picture = { type: 'image', mediaType: 'image/png' };
  const made = [
    output(file('out/chart.png', 10, picture)),
    output(file('out/chart.png', 10, picture), file('a b.csv')),
  ];
  const sent = compose(made).flatMap(({ files }) => files ?? []);
  expect(sent.map(({ name }) => name)).toEqual(['chart.png', 'a_b.csv']);
  expect(Buffer.from((await sent[0]?.read()) ?? [])).toEqual(await read());
});

test('in a chat the limit is for each file, in a letter for all of them', () => {
  const made = [output(file('one.csv', 60), file('two.csv', 60), file('three.csv', 101))];
  const namesOf = (style: 'chat' | 'letter') => compose(made, style).map(({ files }) => files?.[0]?.name);
  expect(namesOf('chat')).toEqual(['one.csv', 'two.csv', undefined]);
  expect(namesOf('letter')).toEqual(['one.csv', undefined, undefined]);
  expect(compose(made)[2]?.markdown).toBe(`\`three.csv\` (101 bytes) is too large to be sent here. ${where}`);
});

test('the files after the tenth are named in one message', () => {
  const made = [output(...Array.from({ length: 12 }, (_, index) => file(`${index}.csv`)))];
  const composed = compose(made);
  expect(composed).toHaveLength(11);
  expect(composed[10]).toEqual({ markdown: `Not sent: \`10.csv\`, \`11.csv\`. ${where}` });
});

test('a lost file is refused, so that words replace it; an unreachable storage is asked again later', async () => {
  const failing = (reason: 'missing' | 'unreachable') => async () => {
    throw new AttachmentUnavailable(reason);
  };
  const reading = (reason: 'missing' | 'unreachable') => compose([output(file('a.csv'))], 'chat', failing(reason));
  await expect(reading('missing')[0]?.files?.[0]?.read()).rejects.toThrow(ChatFailed);
  await expect(reading('unreachable')[0]?.files?.[0]?.read()).rejects.toThrow(AttachmentUnavailable);
});
