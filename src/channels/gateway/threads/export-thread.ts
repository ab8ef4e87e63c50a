import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Threads } from '#agent/threads.ts';
import { type ContentPart, type TimedItem, textOf } from '#domain/thread/item.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { renderItem } from './render-item.ts';
import { renderThread } from './render-thread.ts';
import { threadIdOf } from './threads.ts';
import { exportQuery, type threadExport } from './wire-threads.ts';

const ALL = 100_000;

/** `GET /api/threads/{id}/export`: a whole thread to take away, for people as Markdown or for programs as JSON. */
export function exportRoute(threads: Threads) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: { id: string } }>('/threads/:id/export', async (request, reply) => {
      const { format } = parseBody(exportQuery, request.query);
      const id = threadIdOf(request.params);
      const thread = renderThread(await threads.get(request.principal, id));
      const items = await threads.items(request.principal, id, { before: undefined, limit: ALL });
      const name = `thread-${id}.${format === 'json' ? 'json' : 'md'}`;
      reply.header('content-disposition', `attachment; filename="${name}"`);
      if (format === 'markdown')
        return reply.type('text/markdown; charset=utf-8').send(renderMarkdown(thread.title, items));
      const whole: z.infer<typeof threadExport> = {
        version: 1,
        thread,
        items: items.map(renderItem),
        attachments: attachmentsOf(items),
      };
      return whole;
    });
  };
}

function renderMarkdown(title: string, items: readonly TimedItem[]): string {
  return `${[`# ${title || 'Untitled'}`, ...items.map(renderEntry)].join('\n\n')}\n`;
}

function renderEntry(item: TimedItem): string {
  switch (item.type) {
    case 'message':
      return `## ${SPEAKERS[item.role]} (${item.createdAt.toISOString()})\n\n${wordsOf(item.content)}`;
    case 'function_call':
      return `**Tool:** ${item.name}\n\n${fence(item.arguments)}`;
    case 'function_call_output':
      return `**Result:**\n\n${fence(wordsOf(item.output))}`;
  }
}

const SPEAKERS = { user: 'You', assistant: 'Reborn', system: 'System', developer: 'Developer' } as const;

const wordsOf = (content: readonly ContentPart[]) =>
  [textOf(content), ...content.flatMap((part) => (part.type === 'text' ? [] : `[${nameOf(part)}]`))]
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

function attachmentsOf(items: readonly TimedItem[]): Record<string, string> {
  return Object.fromEntries(
    items.flatMap((item) => {
      const rendered = renderItem(item);
      const shown =
        rendered.type === 'message' ? rendered.content : rendered.type === 'function_call' ? [] : rendered.output;
      const kept = item.type === 'message' ? item.content : item.type === 'function_call' ? [] : item.output;
      return shown.flatMap((part, index) => {
        const from = kept[index];
        return part.type !== 'text' && part.url && from && from.type !== 'text'
          ? [[part.url, from.base64] as const]
          : [];
      });
    }),
  );
}
