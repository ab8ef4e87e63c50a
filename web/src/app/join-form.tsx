import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';

/** Asks a person who was invited for their name. */
export function JoinForm({ isBusy, onJoin }: { readonly isBusy: boolean; readonly onJoin: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => onJoin(name.trim())}>
      <p>
        <Trans>You are invited. This link makes you a user and signs this browser in, once.</Trans>
      </p>
      <TextField
        label={t`Your name`}
        autoComplete="name"
        required
        pattern=".*\S.*"
        maxLength={200}
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint={t`This browser stays signed in for 7 days. Make a token under Settings, Access, to sign in again later.`}
      />
      <Button type="submit" look="act" className="min-h-10" disabled={isBusy}>
        <Trans>Join</Trans>
      </Button>
    </Form>
  );
}
