import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Assistant } from '@reborn-agent/client/api';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { RunningRing } from '../parts/running-ring.tsx';

type Said = {
  readonly number: number;
  readonly asked: string;
  readonly answer: string;
  readonly threadId: string;
  readonly isDone: boolean;
};

/** A conversation with an assistant beside its form, in a temporary thread. */
export function TryPane({ assistant, isSaved }: { readonly assistant: Assistant; readonly isSaved: boolean }) {
  const [message, setMessage] = useState('');
  const [said, setSaid] = useState<readonly Said[]>([]);
  const threadId = said.at(-1)?.threadId;
  const ask = useMutation({
    mutationFn: (asked: string) =>
      client.call('POST /api/chat', {
        body: {
          message: asked,
          assistant: assistant.name,
          ...(threadId === undefined ? { temporary: true } : { thread_id: threadId }),
        },
      }),
    onSuccess: ({ message: answer, status, thread_id: id, error }, asked) => {
      setMessage('');
      setSaid((all) => [
        ...all,
        { number: all.length, asked, answer: error?.message ?? answer, threadId: id, isDone: status === 'completed' },
      ]);
    },
  });
  return (
    <section aria-label={t`Try it`} className="mt-7 flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">
        <Trans>Try it</Trans>
      </h3>
      <p className="text-meta text-soft">
        {isSaved
          ? t`In a temporary thread, without memory.`
          : t`In a temporary thread, without memory. Your changes count once they are saved.`}
      </p>
      <ul className="flex flex-col gap-3" aria-live="polite">
        {said.map(({ number, asked, answer, threadId: id, isDone }) => (
          <li key={number} className="flex flex-col gap-2">
            <p className="break-words rounded bg-yours px-3 py-2 whitespace-pre-wrap">{asked}</p>
            <p className="break-words whitespace-pre-wrap">{answer}</p>
            {!isDone && (
              <Link to="/threads/$threadId" params={{ threadId: id }} className="w-fit link">
                <Trans>Open the thread</Trans>
              </Link>
            )}
          </li>
        ))}
      </ul>
      <Form
        className="flex flex-col gap-3"
        onSubmit={() => {
          if (message.trim() !== '') ask.mutate(message.trim());
        }}
      >
        <TextField
          label={t`Message to ${assistant.name}`}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
        {ask.error && <Problem error={ask.error} />}
        <Button type="submit" disabled={ask.isPending || message.trim() === ''}>
          {ask.isPending ? <RunningRing /> : t`Try`}
        </Button>
      </Form>
    </section>
  );
}
