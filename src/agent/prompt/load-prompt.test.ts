import { expect, test } from 'vitest';
import type { AttachmentHash } from '#domain/ids.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';
import { type ContentPart, type StoredPart, text, textByOthers } from '#domain/thread/item.ts';
import type { Prompt } from '#models/model.ts';
import type { ReadAttachments } from '../attachments/stored-bytes.ts';
import { loadPrompt } from './load-prompt.ts';

const OLD = 'a'.repeat(64) as AttachmentHash;
const NEW = 'b'.repeat(64) as AttachmentHash;
const image = (sha256: AttachmentHash): ContentPart => ({ type: 'image', mediaType: 'image/png', sha256, bytes: 3 });
const prompt: Prompt<ContentPart> = {
  system: '',
  messages: [
    { role: 'user', content: [text('look'), image(OLD)] },
    { role: 'assistant', text: 'yes', calls: [] },
    { role: 'tool', callId: 'c', name: 'n', output: [image(OLD)] },
    { role: 'user', content: [image(NEW)] },
  ],
  tools: [],
  temperature: null,
};

/** Loads the prompt of a turn that has sent NEW; what is not in `found` is missing. */
function load(found: ReadAttachments) {
  const asked: AttachmentHash[][] = [];
  const read = async (hashes: readonly AttachmentHash[]) => {
    asked.push([...hashes]);
    return found;
  };
  return { asked, loaded: loadPrompt(read, prompt, new Set([NEW])) };
}

test('the bytes of all attachments are read at once', async () => {
  const { asked, loaded } = load(
    new Map([
      [OLD, Buffer.from('old')],
      [NEW, Buffer.from('new')],
    ]),
  );
  const inline = (content: string) => ({ type: 'image', mediaType: 'image/png', base64: btoa(content) });

  expect((await loaded).messages).toEqual([
    { role: 'user', content: [text('look'), inline('old')] },
    { role: 'assistant', text: 'yes', calls: [] },
    { role: 'tool', callId: 'c', name: 'n', output: [inline('old')] },
    { role: 'user', content: [inline('new')] },
  ]);
  expect(asked).toHaveLength(1);
});

test('a note replaces an earlier attachment that is lost', async () => {
  const { loaded } = load(new Map([[NEW, Buffer.from('new')]]));

  expect((await loaded).messages[0]).toEqual({
    role: 'user',
    content: [text('look'), text("[image left out: it can't be read any more]")],
  });
});

test('the turn fails when its own attachment is lost', async () => {
  const { loaded } = load(
    new Map<AttachmentHash, Buffer | AttachmentUnavailable>([
      [OLD, Buffer.from('old')],
      [NEW, new AttachmentUnavailable('corrupted')],
    ]),
  );
  await expect(loaded).rejects.toThrow(/was changed in the storage of attachments\. Send it again\.$/);
});

test('the turn fails when the storage does not answer, because a note would hide what a later turn can read', async () => {
  const { loaded } = load(
    new Map<AttachmentHash, Buffer | AttachmentUnavailable>([
      [OLD, new AttachmentUnavailable('unreachable')],
      [NEW, Buffer.from('new')],
    ]),
  );
  await expect(loaded).rejects.toMatchObject({ reason: 'unreachable' });
});

test('of many large attachments only the newest are read, and a note replaces the others', async () => {
  const hashes = Array.from({ length: 400 }, (_, index) => String(index).padStart(64, '0') as AttachmentHash);
  const large = (sha256: AttachmentHash): ContentPart => ({
    ...(image(sha256) as StoredPart),
    bytes: 10 * 1024 * 1024,
  });
  const messages = hashes.map((hash) => ({ role: 'user' as const, content: [large(hash)] }));
  const asked: AttachmentHash[] = [];
  const read = async (wanted: readonly AttachmentHash[]) => {
    asked.push(...wanted);
    return new Map(wanted.map((hash) => [hash, Buffer.from('x')]));
  };
  const loaded = await loadPrompt(read, { ...prompt, messages }, new Set());

  expect(asked.toSorted()).toEqual(hashes.slice(-2));
  expect(loaded.messages[0]).toEqual({
    role: 'user',
    content: [textByOthers('[image left out: the prompt holds only the newest attachments]', 'file')],
  });
  expect(loaded.messages.at(-1)).toMatchObject({ content: [{ type: 'image', base64: btoa('x') }] });
});
