import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ChoiceField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAddModel } from './use-provider-models.ts';

/** A model that its provider does not list: a deployment, a preview, a server without a list. */
export function AddModel({
  providers,
  onClose,
}: {
  readonly providers: readonly ModelProvider[];
  readonly onClose: () => void;
}) {
  const usual = providers.find(({ check }) => check?.state === 'no_list' || check?.models === 0) ?? providers[0];
  const [provider, setProvider] = useState(usual?.name ?? '');
  const [name, setName] = useState('');
  const add = useAddModel();
  return (
    <Dialog title={t`Add a model by name`} onClose={onClose}>
      <Form
        className="flex flex-col gap-3"
        onSubmit={() => add.mutate({ provider, name: name.trim(), on: true }, { onSuccess: onClose })}
      >
        <ChoiceField
          label={t`Provider`}
          choices={providers.map((each) => ({ value: each.name, words: each.title }))}
          value={provider}
          onChoose={setProvider}
        />
        <TextField
          label={t`Name of the model`}
          hint={t`As the provider spells it. At Azure, it is the name of the deployment.`}
          required
          autoComplete="off"
          spellCheck={false}
          className="field w-full font-mono"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {add.error && <Problem error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" look="act" disabled={add.isPending}>
            <Trans>Add</Trans>
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
