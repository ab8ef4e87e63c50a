import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Base64Of } from '#agent/attachments/attachments.ts';
import type { Threads } from '#agent/threads/threads.ts';
import type { Workspaces } from '#agent/workspace/workspaces.ts';
import type { TurnId } from '#domain/ids.ts';
import { withSourceList } from '#domain/search/cited-text.ts';
import { isAttached } from '#domain/thread/attachment.ts';
import {
  type ContentPart,
  type FunctionCallOutputBody,
  partsOf,
  readableText,
  type TimedItem,
} from '#domain/thread/item.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderFiles, threadFile } from '../files/file-shape.ts';
import { attachedAs } from './attached-as.ts';
import { partUrl, renderItem, threadItem } from './item-shape.ts';
import { renderThread, thread, threadParams } from './thread-shape.ts';

const ALL = 100_000;

type Services = { readonly threads: Threads; readonly workspaces: Workspaces };

export const exportThread = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/export',
  summary: 'Download a whole thread as Markdown or JSON.',
  params: threadParams,
  query: z.object({
    format: z.enum(['markdown', 'json']).default('markdown'),
  }),
  responses: {
    200: {
      description: 'A file. With `format=json` it has this shape.',
      json: z
        .strictObject({
          version: z.literal(1),
          thread,
          items: z.array(threadItem),
          files: z.array(threadFile).describe('The files of the thread in their newest version, without their bytes.'),
          attachments: z
            .record(z.string(), z.string())
            .describe('The bytes of images and files in base64, by the `url` of their part.'),
        })
        .meta({ id: 'ThreadExport' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { id }, query: { format }, reply }, { threads, workspaces }: Services) {
    const exported = renderThread(await threads.get(principal, id));
    const { items, assistants } = await threads.items(principal, id, { before: undefined, limit: ALL });
    const ending = format === 'json' ? 'json' : 'md';
    reply.header('content-disposition', attachedAs(exported.title, `thread-${id}`, ending));
    if (format === 'markdown')
      return reply.type('text/markdown; charset=utf-8').send(renderMarkdown(exported.title, items, assistants));
    const read = (item: TimedItem) => threads.readAttachments(principal, [item]);
    const stored = await workspaces.list(principal, id);
    const documents = await workspaces.documentsOf(principal, stored);
    const { files } = renderFiles(stored, documents, workspaces.limits.workspaceBytes);
    const written = writeJson({ thread: exported, items, files }, read);
    return reply.type('application/json; charset=utf-8').send(Readable.from(written));
  },
});

function renderMarkdown(
  title: string,
  items: readonly TimedItem[],
  assistants: readonly { readonly turnId: TurnId; readonly name: string }[],
): string {
  const names = new Map(assistants.map(({ turnId, name }) => [turnId, name]));
  const entries = items.map((item) => renderEntry(item, names.get(item.turnId)));
  return `${[`# ${title || 'Untitled'}`, ...entries].join('\n\n')}\n`;
}

function renderEntry(item: TimedItem, assistant: string | undefined): string {
  switch (item.type) {
    case 'message':
      return `## ${(item.role === 'assistant' && assistant) || SPEAKERS[item.role]} (${item.createdAt.toISOString()})\n\n${withSourceList(wordsOf(item.content), item.citations)}`;
    case 'function_call':
      return `**Tool:** ${item.name}\n\n${fence(item.arguments)}`;
    case 'function_call_output':
      return [...decisionOf(item), `**Result:**\n\n${fence(wordsOf(item.output))}`].join('\n\n');
    case 'compaction':
      return `**Summary of an earlier conversation:**\n\n${fence(item.summary)}`;
  }
}

/** Who let the call run or not, if a person did. */
function decisionOf({ decided, allowedBy }: FunctionCallOutputBody): string[] {
  if (!decided) return allowedBy === 'always' ? ['**Allowed:** by a rule'] : [];
  if (decided.answer === 'expired') return [`**Expired:** not answered in time, ${decided.at}`];
  const { answer, by, at, reason } = decided;
  const said = reason === undefined ? '' : `: “${reason}”`;
  return [
    `**${answer === 'approved' ? 'Approved' : 'Denied'}:** by ${by === 'owner' ? 'you' : 'the operator'}, ${at}${said}`,
  ];
}

const SPEAKERS = { user: 'You', assistant: 'Reborn', system: 'System', developer: 'Developer' } as const;

const wordsOf = (content: readonly ContentPart[]) =>
  [readableText(content), ...content.flatMap((part) => (part.type === 'text' ? [] : `[${nameOf(part)}]`))]
    .filter((words) => words !== '')
    .join('\n\n');

const nameOf = (part: Exclude<ContentPart, { type: 'text' }>) =>
  part.type === 'file' && part.filename ? part.filename : part.mediaType;

/** With more backticks than the text has, so that it can't end its own block. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}

type Exported = {
  readonly thread: z.infer<typeof thread>;
  readonly items: readonly TimedItem[];
  readonly files: readonly z.infer<typeof threadFile>[];
};

/** Written piece by piece, because the attachments of a thread may be larger than what fits into memory. */
async function* writeJson(
  { thread: exported, items, files }: Exported,
  read: (item: TimedItem) => Promise<Base64Of>,
): AsyncGenerator<string> {
  yield `{"version":1,"thread":${JSON.stringify(exported)},"files":${JSON.stringify(files)},"items":[`;
  for (const [index, item] of items.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(renderItem(item))}`;
  yield '],"attachments":{';
  let separator = '';
  for (const item of items) {
    const parts = partsOf(item);
    if (!parts.some(isAttached)) continue;
    const base64Of = await read(item);
    for (const [index, part] of parts.entries()) {
      if (!isAttached(part)) continue;
      yield `${separator}${JSON.stringify(partUrl(item.threadId, item.id, index))}:"${base64Of(part)}"`;
      separator = ',';
    }
  }
  yield '}}';
}
