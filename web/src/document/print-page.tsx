import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ThreadItem } from '@reborn-agent/client/api';
import { textOf } from '@reborn-agent/client/message-text';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { SentFiles } from '../chat/transcript/sent-files.tsx';
import { client } from '../client/client.ts';
import { formatExact } from '../format/time.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useTitle } from '../parts/use-title.ts';
import { type DocumentEntry, ThreadDocument } from './thread-document.tsx';

/** A whole thread for paper, or for a PDF file that the browser makes of it. */
export function PrintPage() {
  const { threadId = '' } = useParams({ strict: false });
  const { data, error } = useQuery({ queryKey: ['print', threadId], queryFn: () => loadAll(threadId), gcTime: 0 });
  useTitle(data?.thread.title || t`Print`);
  if (error)
    return (
      <main className="column py-8">
        <h1 className="mb-4 text-title">
          <Trans>Print</Trans>
        </h1>
        <Problem error={error} />
      </main>
    );
  if (!data)
    return (
      <main className="column py-8">
        <Skeleton label={t`Loading`} rows={6} />
      </main>
    );
  return (
    <ThreadDocument
      title={data.thread.title}
      about={t`Exported on ${formatExact(new Date().toISOString())}`}
      actions={
        <>
          <Link
            to="/threads/$threadId"
            params={{ threadId }}
            className="inline-flex min-h-target items-center rounded px-3 font-medium text-soft hover:bg-hover hover:text-ink"
          >
            <Trans>Back</Trans>
          </Link>
          <Button look="act" ref={(button) => button?.focus()} onClick={() => print()}>
            <Trans>Print or save as PDF</Trans>
          </Button>
        </>
      }
      entries={data.items.flatMap((item) => toEntry(item, data))}
      frames
    />
  );
}

async function loadAll(id: string) {
  const thread = await client.call('GET /api/threads/{id}', { params: { id } });
  const items: ThreadItem[] = [];
  const assistants = new Map<string, string>();
  for (let before: string | undefined; ; ) {
    const page = await client.call('GET /api/threads/{id}/items', { params: { id }, query: { limit: 200, before } });
    items.unshift(...page.items);
    for (const { turn_id: turnId, name } of page.assistants ?? []) assistants.set(turnId, name);
    if (page.next_before === null) return { thread, items, assistants };
    before = page.next_before;
  }
}

type Whole = { readonly items: readonly ThreadItem[]; readonly assistants: ReadonlyMap<string, string> };

function toEntry(item: ThreadItem, { items, assistants }: Whole): DocumentEntry[] {
  const fields = { id: item.id, time: item.created_at };
  if (item.type === 'message') {
    const files = <SentFiles parts={item.content} />;
    const isAnswer = item.role === 'assistant';
    const speaker = (isAnswer && assistants.get(item.turn_id)) || speakers()[item.role];
    return [{ ...fields, type: 'message', speaker, isAnswer, text: textOf(item.content), files }];
  }
  if (item.type === 'function_call_output') return [];
  const output = items.find((other) => other.type === 'function_call_output' && other.call_id === item.call_id);
  const parts = output?.type === 'function_call_output' ? output.output : undefined;
  const files = parts && <SentFiles parts={parts} />;
  return [
    { ...fields, type: 'tool', name: item.name, arguments: item.arguments, result: parts && textOf(parts), files },
  ];
}

const speakers = () => ({ user: t`You`, assistant: 'Reborn', system: t`System`, developer: t`Developer` }) as const;
