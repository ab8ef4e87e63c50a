import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SharedItem, SharedPart, SharedThread } from '@reborn-agent/client/api';
import { useCallback, useEffect, useState } from 'react';
import { formatExact } from '../format/time.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { type DocumentEntry, ThreadDocument } from './thread-document.tsx';

type Shown = Pick<SharedThread, 'title' | 'shared_at' | 'next_after'> & { readonly items: readonly SharedItem[] };

/** A thread as its owner has shared it. */
export function SharedThreadPage({ link }: { readonly link: string }) {
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(
    async (before: Shown | undefined) => {
      setProblem(undefined);
      try {
        const page = await loadPage(link, before?.next_after ?? undefined);
        document.title = page.title || t`Shared thread`;
        setShown({ ...page, items: [...(before?.items ?? []), ...page.items] });
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    },
    [link],
  );
  useEffect(() => void load(undefined), [load]);

  if (!shown)
    return (
      <main className="column py-8">
        <h1 className="mb-4 text-title">
          <Trans>Shared thread</Trans>
        </h1>
        <p role={problem ? 'alert' : 'status'} className="text-soft">
          {problem ?? t`Loading`}
        </p>
      </main>
    );
  return (
    <ThreadDocument
      title={shown.title}
      about={t`Shared by its owner as it was on ${formatExact(shown.shared_at)}. Read only.`}
      entries={toEntries(shown.items)}
      frames={false}
    >
      {problem && <p role="alert">{problem}</p>}
      {shown.next_after && (
        <Button className="self-center print:hidden" onClick={() => void load(shown)}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </ThreadDocument>
  );
}

async function loadPage(link: string, after: string | undefined): Promise<SharedThread> {
  const query = after === undefined ? '' : `?after=${after}`;
  const response = await fetch(`/api/shared/${encodeURIComponent(link)}${query}`).catch(() => undefined);
  if (!response) throw new Error(t`The thread could not be loaded. Wait a moment, and reload the page.`);
  if (response.status === 404) throw new Error(t`This link does not exist. It may have been revoked.`);
  if (!response.ok) throw new Error(t`The thread could not be loaded. Reload the page to try again.`);
  return (await response.json()) as SharedThread;
}

function toEntries(items: readonly SharedItem[]): DocumentEntry[] {
  return items.flatMap((item): DocumentEntry[] => {
    const fields = { id: item.id, time: item.created_at };
    if (item.type === 'result') return [];
    if (item.type === 'call') {
      const result = items.find((other) => other.type === 'result' && other.call_id === item.call_id);
      return [
        {
          ...fields,
          type: 'tool',
          name: item.name,
          arguments: item.arguments,
          ...(result?.type === 'result'
            ? { result: textOf(result.content), files: <SharedFiles parts={result.content} /> }
            : { result: undefined }),
        },
      ];
    }
    const isAnswer = item.role === 'assistant';
    const speaker = isAnswer ? (item.assistant ?? 'Reborn') : t`User`;
    const files = <SharedFiles parts={item.content} />;
    return [{ ...fields, type: 'message', speaker, isAnswer, text: textOf(item.content), files }];
  });
}

const textOf = (parts: readonly SharedPart[]) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

function SharedFiles({ parts }: { readonly parts: readonly SharedPart[] }) {
  const files = parts.filter((part) => part.type !== 'text');
  if (files.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change places
        <li key={index}>
          <SharedFile file={file} />
        </li>
      ))}
    </ul>
  );
}

function SharedFile({ file }: { readonly file: Exclude<SharedPart, { type: 'text' }> }) {
  if (file.type === 'hidden')
    return (
      <span className="text-meta text-soft">
        {file.kind === 'image' ? t`An image that is not shared` : t`A file that is not shared`}
      </span>
    );
  if (file.type === 'image')
    return <img src={file.url} alt={t`Attached`} className="max-h-96 max-w-full rounded-lg border border-line" />;
  return (
    <a href={file.url} download className="chip min-h-target">
      <Icon name="file" /> {file.filename ?? t`File`}
    </a>
  );
}
