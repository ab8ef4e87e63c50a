import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useServices } from '../../app/services.ts';
import { client } from '../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { ChoiceField } from '../../parts/field.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Form } from '../../parts/form.tsx';

const MOST_LISTED = 100;

/** Chooses whose secrets the calls of a webhook user may use. */
export function PairingForm({ onAnswer }: { readonly onAnswer: (answer: GateAnswer) => Promise<void> }) {
  const { me } = useServices();
  const [chosen, setChosen] = useState(me.user_id);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const q = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ['users', 'to-pair', q],
    queryFn: () => client.call('GET /api/users', { query: { q, limit: MOST_LISTED } }),
    placeholderData: (shown) => shown,
  });
  const choices = [
    { value: me.user_id, words: t`${me.name} (you)` },
    ...(data?.users ?? [])
      .filter(({ id }) => id !== me.user_id)
      .map(({ id, name, email }) => ({ value: id, words: email ? `${name} (${email})` : name })),
  ];
  const userId = choices.some(({ value }) => value === chosen) ? chosen : me.user_id;
  const isLong = q !== '' || Boolean(data?.next_cursor);
  return (
    <div className="flex max-w-96 flex-col gap-3">
      {isLong && <Filter label={t`Search the users`} value={text} onChange={setText} />}
      <Form
        className="flex flex-col gap-3"
        onSubmit={() => {
          setBusy(true);
          void onAnswer({ answer: 'approve', user_id: userId }).then(() => setBusy(false));
        }}
      >
        <ChoiceField label={t`Whose secrets may it use?`} choices={choices} value={userId} onChoose={setChosen} />
        <Button type="submit" look="act" className="self-start" disabled={busy}>
          <Trans>Pair and continue</Trans>
        </Button>
      </Form>
    </div>
  );
}
