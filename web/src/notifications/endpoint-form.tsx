import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { NewEndpoint } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

type Event = NewEndpoint['events'][number];

const eventChoices = (): readonly { readonly name: Event; readonly words: string }[] => [
  { name: 'gate.opened', words: t`A thread waits for an approval, a sign-in or a pairing` },
  { name: 'turn.ended', words: t`A webhook job has ended` },
  { name: 'mission.failed', words: t`A run of a mission has failed` },
  { name: 'mission.completed', words: t`A run of a mission is completed` },
];

/** Adds an endpoint, and shows its secret once. */
export function EndpointForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { me } = useServices();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly Event[]>(['gate.opened', 'turn.ended', 'mission.failed']);
  const [turns, setTurns] = useState<'failed' | 'all'>('failed');
  const [everyone, setEveryone] = useState(false);
  const [results, setResults] = useState(false);
  const add = useMutation({
    mutationFn: () =>
      client.call('POST /api/notifications/endpoints', {
        body: { name, url, events: [...events], turns, everyone, results: results && !everyone },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['notifications'] }),
  });
  if (add.data) return <NewSecret secret={add.data.secret} onClose={onClose} />;
  const toggle = (event: Event) =>
    setEvents(events.includes(event) ? events.filter((each) => each !== event) : [...events, event]);
  return (
    <Dialog title={t`Add an endpoint`} place="side" onClose={onClose}>
      <Form onSubmit={() => add.mutate()}>
        <TextField
          label={t`Name`}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t`Address`}
          type="url"
          required
          value={url}
          placeholder="https://hooks.example.com/reborn"
          hint={t`https on port 443, on the public internet.`}
          onChange={(event) => setUrl(event.target.value)}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-meta font-medium">
            <Trans>Events</Trans>
          </legend>
          {eventChoices().map((event) => (
            <CheckField
              key={event.name}
              words={event.words}
              checked={events.includes(event.name)}
              onChange={() => toggle(event.name)}
            />
          ))}
        </fieldset>
        {events.includes('turn.ended') && (
          <ChoiceField label={t`Webhook jobs`} choices={turnChoices()} value={turns} onChoose={setTurns} />
        )}
        {me.role === 'operator' && (
          <CheckField words={t`The events of all users`} checked={everyone} onChange={setEveryone} />
        )}
        {everyone && (
          <CheckField
            words={t`A user asks for a higher limit`}
            checked={events.includes('limit.requested')}
            onChange={() => toggle('limit.requested')}
          />
        )}
        {events.includes('mission.completed') && !everyone && (
          <CheckField
            words={t`Send the results of missions, not only that they are there`}
            checked={results}
            onChange={setResults}
          />
        )}
        {add.error && <Problem error={add.error} />}
        <div className="flex gap-2">
          <Button type="submit" look="act" disabled={add.isPending || events.length === 0}>
            <Trans>Add</Trans>
          </Button>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

const turnChoices = () =>
  [
    { value: 'failed', words: t`Only failed ones` },
    { value: 'all', words: t`All` },
  ] as const;

function NewSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title={t`Its signing secret`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          <Trans>Your program verifies requests with this secret. It is not shown again.</Trans>
        </p>
        <div className="flex items-start gap-2">
          <code className="min-w-0 flex-1 break-all text-meta">{secret}</code>
          <CopyButton text={secret} />
        </div>
        <div>
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
