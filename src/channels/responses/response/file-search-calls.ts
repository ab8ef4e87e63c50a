import { z } from 'zod';
import { hexFromUuid, isUuid, type UploadId } from '#domain/ids.ts';
import { jsonOf } from '#domain/text/json.ts';
import { type FunctionCallBody, type FunctionCallOutputBody, type NewItem, textOf } from '#domain/thread/item.ts';
import { fileId, formatFileId } from '../../model-api/file-id.ts';
import { isFailed, queriesOf } from './web-search-calls.ts';

export const fileSearchCallId = z.string().regex(/^fs_[0-9a-f]{32}$/);

const attributes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A search in vector stores. */
export const fileSearchCall = z
  .strictObject({
    id: fileSearchCallId,
    type: z.literal('file_search_call'),
    status: z.enum(['in_progress', 'completed', 'failed', 'incomplete']),
    queries: z.array(z.string()),
    results: z
      .array(
        z.strictObject({
          file_id: fileId,
          filename: z.string(),
          score: z.number(),
          text: z.string(),
          attributes: attributes.describe('Those of the file, and `page`.'),
        }),
      )
      .nullable()
      .describe('null without `include: ["file_search_call.results"]`.'),
  })
  .meta({ id: 'FileSearchCall', description: 'Only for requests with the hosted tool `file_search`.' });

export type FileSearchCall = z.infer<typeof fileSearchCall>;
type Call = NewItem & FunctionCallBody;
type Output = NewItem & FunctionCallOutputBody;

export const renderFileSearch = (
  { results }: { readonly results: boolean },
  call: Call,
  status: FileSearchCall['status'],
  output?: Output,
): FileSearchCall => ({
  id: `fs_${hexFromUuid(call.id)}`,
  type: 'file_search_call',
  status: output && isFailed(output) ? 'failed' : status,
  queries: queriesOf(call),
  results: results && output ? renderResults(output) : null,
});

/** What the tool has returned to the model, without secrets. */
const returned = z.object({
  results: z.array(
    z.object({
      id: z.string().refine((id) => isUuid<UploadId>(id)),
      file: z.string(),
      page: z.int(),
      score: z.number(),
      text: z.string(),
      attributes,
    }),
  ),
});

function renderResults({ output }: Output): NonNullable<FileSearchCall['results']> {
  const { results = [] } = returned.safeParse(jsonOf(textOf(output))).data ?? {}; // a call that was not run has a sentence
  return results.map(({ id, file, page, score, text, attributes: own }) => ({
    file_id: formatFileId(id),
    filename: file,
    score,
    text,
    attributes: { page, ...own },
  }));
}
