import { z } from 'zod';
import { NOTE_AUTHORS, NOTE_ORIGINS, type Note } from '#domain/note.ts';
import { type SeenSource, SOURCE_KINDS } from '#domain/thread/origin.ts';
import { renderAs } from '#http/routes/render-as.ts';

export const path = z.object({ path: z.string().describe('The path of the note, such as people/ann.') });

export const source = z
  .strictObject({
    kind: z.enum([...SOURCE_KINDS, 'note']).describe('What was read. `message`: text by others in a message.'),
    name: z
      .string()
      .nullable()
      .describe('The host of a page, the sender of a message, the path of a note, or the name of what was read.'),
    version: z.int().optional().describe('Of a note.'),
    item_id: z.uuid().optional().describe('The item of the thread that holds it.'),
  })
  .meta({ id: 'NoteSource' });

export const origin = z
  .enum(NOTE_ORIGINS)
  .describe(
    "`person`: the person wrote or kept it, or the agent did before it had read text by others. `foreign`: the agent wrote it after that. `unknown`: it is older than this distinction. Reading a note that is not the person's counts as reading text by others.",
  );

export const writtenBy = z
  .enum(NOTE_AUTHORS)
  .describe('Who wrote this version. `unknown`: it is older than the record of versions.');

export const sources = z
  .array(source)
  .describe('What the agent had read when it wrote this version, the newest last, without the words of the person.');

export const note = z
  .strictObject({
    path: z.string(),
    text: z.string(),
    origin,
    version: z.int().describe('Its number, from 1.'),
    written_by: writtenBy,
    sources,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Note' });

export const renderNote = (found: Note): z.infer<typeof note> =>
  renderAs(note, found, { sources: found.sources.map(renderSource) });

export const renderSource = ({ itemId, ...rest }: SeenSource): z.infer<typeof source> => ({
  ...rest,
  ...(itemId !== undefined && { item_id: itemId }),
});
