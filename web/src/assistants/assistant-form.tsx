import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Assistant } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, ChoiceField, TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { type Draft, toBody, toDraft } from './assistant-draft.ts';
import { AssistantHistory } from './assistant-history.tsx';
import { LimitFields } from './limit-fields.tsx';
import { memoryChoices } from './memory-choices.ts';
import { TryPane } from './try-pane.tsx';

type Props = {
  /** The assistant to change; a new one when left out. */
  readonly assistant: Assistant | undefined;
  readonly onClose: () => void;
};

/** Makes an assistant or saves a new version of it, and tries it beside the form. */
export function AssistantForm({ assistant, onClose }: Props) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [saved, setSaved] = useState(assistant);
  const [draft, setDraft] = useState(() => toDraft(assistant));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const mayChange = saved?.for !== 'everyone' || me.role === 'operator';
  const save = useMutation({
    mutationFn: () =>
      saved
        ? client.call('PATCH /api/assistants/{id}', { params: { id: saved.id }, body: toBody(draft) })
        : client.call('POST /api/assistants', {
            body: { ...toBody(draft), name: draft.name.trim(), for: draft.everyone ? 'everyone' : 'me' },
          }),
    onSuccess: (made) => {
      setSaved(made);
      return queries.invalidateQueries({ queryKey: ['assistants'] });
    },
  });
  const isSaved = saved !== undefined && JSON.stringify(toDraft(saved)) === JSON.stringify(draft);
  return (
    <Dialog title={saved ? saved.name : t`Create an assistant`} place="side" onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <fieldset disabled={!mayChange} className="flex flex-col gap-4">
          {!saved && (
            <TextField
              label={t`Name`}
              required
              maxLength={40}
              pattern="[a-z0-9]([a-z0-9-]*[a-z0-9])?"
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
              hint={t`Small letters, digits and dashes. It never changes, and @ with it calls the assistant.`}
            />
          )}
          <TextField
            label={t`What it is for`}
            maxLength={500}
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <TextArea
            label={t`Instructions`}
            rows={6}
            maxLength={8000}
            value={draft.instructions}
            onChange={(event) => set({ instructions: event.target.value })}
            hint={t`They are part of every prompt.`}
          />
          <ChoiceField
            label={t`Memory`}
            choices={memoryChoices()}
            value={draft.memory}
            onChoose={(memory) => set({ memory })}
          />
          <LimitFields draft={draft} onChange={set} />
          {!saved && me.role === 'operator' && (
            <CheckField
              words={t`Everyone may use it`}
              checked={draft.everyone}
              onChange={(everyone) => set({ everyone })}
            />
          )}
        </fieldset>
        {save.error && <Problem error={save.error} />}
        <div className="flex gap-2">
          {mayChange && (
            <Button type="submit" look="act" disabled={save.isPending || isSaved}>
              {saved ? t`Save version ${saved.version + 1}` : t`Create`}
            </Button>
          )}
          {mayChange && saved && <DeleteButton assistant={saved} onDeleted={onClose} />}
        </div>
      </Form>
      {saved && <TryPane assistant={saved} isSaved={isSaved} />}
      {saved && (
        <AssistantHistory
          assistant={saved}
          mayChange={mayChange}
          onRestored={(restored) => {
            setSaved(restored);
            setDraft(toDraft(restored));
          }}
        />
      )}
    </Dialog>
  );
}

function DeleteButton({ assistant, onDeleted }: { readonly assistant: Assistant; readonly onDeleted: () => void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/assistants/{id}', { params: { id: assistant.id } }),
    onSuccess: () => {
      onDeleted();
      return queries.invalidateQueries({ queryKey: ['assistants'] });
    },
  });
  return (
    <>
      <Button disabled={remove.isPending} onClick={() => setAsking(true)}>
        <Trans>Delete</Trans>
      </Button>
      {remove.error && <Problem error={remove.error} />}
      {asking && (
        <Confirm
          title={t`Delete ${assistant.name}?`}
          action={t`Delete`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>Its threads stay, and continue with the usual agent. Missions that name it fail.</Trans>
        </Confirm>
      )}
    </>
  );
}
