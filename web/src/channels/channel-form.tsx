import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import type { NewChannel } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

export type FormProps = { readonly onDone: () => void };

/** Returns the error of a field of the request, such as `imap.host`. */
export type ErrorAt = (field: string) => string | undefined;

/** Adds a channel. An error is shown at the field that it names, if the form has it, or else below all fields. */
export function ChannelForm({
  channel,
  fields,
  onDone,
  children,
}: FormProps & {
  readonly channel: NewChannel;
  /** The fields of the request that show their own errors. */
  readonly fields: readonly string[];
  readonly children: (errorAt: ErrorAt) => ReactNode;
}) {
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: () => client.call('POST /api/channels', { body: channel }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['channels'] });
      onDone();
    },
  });
  const named = add.error instanceof ApiError ? add.error.param : undefined;
  const own = { already_exists: t`This account is added already. Remove it first.` };
  const isAtField = named !== undefined && fields.includes(named);
  useEffect(() => {
    if (add.error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [add.error]);
  return (
    <Form ref={form} onSubmit={() => add.mutate()}>
      {children((field) => (isAtField && named === field ? wordsOf(add.error, own) : undefined))}
      {add.error && !isAtField && <Problem error={add.error} own={own} />}
      <div className="flex gap-2">
        <Button type="submit" look="act" disabled={add.isPending}>
          <Trans>Add</Trans>
        </Button>
        <Button onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Form>
  );
}
