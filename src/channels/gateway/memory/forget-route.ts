import { z } from 'zod';
import { SOURCE_KINDS } from '#domain/thread/origin.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uuid } from '#http/routes/uuid.ts';
import type { Forgotten } from '#memory/forget-notes.ts';
import type { Memory } from '#memory/memory.ts';

type Services = { readonly memory: Memory };

const trace = z
  .strictObject({
    thread_id: uuid<string>('thread_id must be the id of a thread.').optional(),
    turn_id: uuid<string>('turn_id must be the id of a turn.').optional(),
    source: z
      .strictObject({
        kind: z.enum([...SOURCE_KINDS, 'note'], 'kind must be the kind of a source.'),
        name: z.string('name must be a text or null.').nullable(),
      })
      .optional()
      .describe('A source, as the versions of a note name it, such as the host of a page.'),
  })
  .refine((given) => Object.values(given).filter((each) => each !== undefined).length === 1, {
    error: 'Give one of thread_id, turn_id and source.',
  });

const shown = z.strictObject({
  path: z.string(),
  version: z.int().describe('Its newest version.'),
  text: z.string().nullable().describe('The text as it is now; null: deleted.'),
  stays: z
    .strictObject({ version: z.int(), text: z.string().nullable() })
    .nullable()
    .describe('The newest version that came from elsewhere. Without one, or one with a text, the note is deleted.'),
});

const forgotten = z
  .strictObject({
    changed: z.array(shown).describe('Notes that go back to an earlier text, are deleted, or are there again.'),
    kept: z.array(shown).describe('Notes whose newest version is by the caller, and that stay as they are.'),
    versions: z.int().describe('How many versions came from there, with those that were replaced since.'),
    digest: z.string().describe('To do what is shown here.'),
  })
  .meta({ id: 'ForgottenNotes' });

const forgetNotes = defineRoute({
  method: 'post',
  path: '/api/memory/forget',
  summary: 'Forget what notes hold from a thread, a turn or a source. Without a digest, shows what that would change.',
  body: z
    .strictObject({
      from: trace,
      derived: z
        .boolean('derived must be true or false.')
        .default(true)
        .describe('Also what was written after reading such a note, and so on.'),
      permanent: z
        .boolean('permanent must be true or false.')
        .default(false)
        .describe('Removes the versions from the history, too, so that they cannot be restored.'),
      digest: z
        .string('digest must be a text.')
        .optional()
        .describe('Of the answer without it: what it showed is done. It is refused if that is no longer the same.'),
    })
    .meta({ id: 'ForgetNotes' }),
  responses: { 200: { description: 'What was changed, or would be.', json: forgotten } },
  errors: [400, 413],
  async handle({ principal, body: { from, ...what } }, { memory }: Services) {
    const { thread_id: threadId, turn_id: turnId, source } = from;
    const traced = source ?? (threadId === undefined ? { turnId: turnId ?? '' } : { threadId });
    return render(await memory.forget(principal, { ...what, from: traced }));
  },
});

function render({ changed, kept, versions, digest }: Forgotten): z.infer<typeof forgotten> {
  const show = ({ path, version, text, stays }: Forgotten['changed'][number]) => ({
    path,
    version,
    text,
    stays: stays && { version: stays.version, text: stays.text },
  });
  return { changed: changed.map(show), kept: kept.map(show), versions, digest };
}

export const forgetRoutes = [forgetNotes];
