import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

/** Good and Bad. Bad asks for a reason, which may stay empty. */
export function RateAnswer({ turnId }: { readonly turnId: string }) {
  const { threadId } = useParams({ strict: false });
  return threadId === undefined ? null : <RateTurn threadId={threadId} turnId={turnId} />;
}

type Change = { readonly rating: 'good' | 'bad'; readonly reason?: string } | 'none';

function RateTurn({ threadId, turnId }: { readonly threadId: string; readonly turnId: string }) {
  const queries = useQueryClient();
  const queryKey = ['ratings', threadId];
  const [asking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey,
    queryFn: () => client.call('GET /api/threads/{id}/ratings', { params: { id: threadId } }),
    staleTime: Infinity, // only this person changes them
  });
  const change = useMutation({
    mutationFn: async (wanted: Change) => {
      const params = { id: turnId };
      if (wanted === 'none') await client.call('DELETE /api/turns/{id}/rating', { params });
      else await client.call('PUT /api/turns/{id}/rating', { params, body: wanted });
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const rating = data?.ratings.find(({ turn_id: id }) => id === turnId)?.rating;
  const rate = (wanted: 'good' | 'bad') => {
    change.mutate(rating === wanted ? 'none' : { rating: wanted });
    setAsking(wanted === 'bad' && rating !== 'bad');
  };
  return (
    <>
      <IconButton icon="good" label={t`Good answer`} aria-pressed={rating === 'good'} onClick={() => rate('good')} />
      <IconButton icon="bad" label={t`Bad answer`} aria-pressed={rating === 'bad'} onClick={() => rate('bad')} />
      {asking && (
        <Reason
          error={change.error}
          onSend={(reason) => change.mutate({ rating: 'bad', reason }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

type ReasonProps = {
  readonly error: Error | null;
  readonly onSend: (reason: string) => void;
  readonly onClose: () => void;
};

function Reason({ error, onSend, onClose }: ReasonProps) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title={t`What was wrong?`} onClose={onClose}>
      <Form onSubmit={() => onSend(reason)}>
        <TextField
          label={t`Reason`}
          autoFocus
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          hint={t`Optional. Operators see it with the title of the thread and the model, but not the answer.`}
        />
        {error && <Problem error={error} />}
        <Button type="submit" look="act" className="self-start">
          <Trans>Send</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}
