import { Trans } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { Offer } from './offers.ts';

type Values = Readonly<Record<string, string>>;
type Props = {
  readonly offer: Offer;
  readonly onTake: (given: Values) => Promise<void>;
  readonly onClose: () => void;
};

/** The values of a prompt. Its text is written into the message, and the person sends it. */
export function OfferForm({ offer: { name, about, fields = [] }, onTake, onClose }: Props) {
  const [given, setGiven] = useState<Values>({});
  const write = useMutation({
    mutationFn: () => onTake(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))),
  });
  return (
    <Dialog title={name} onClose={onClose}>
      <Form onSubmit={() => write.mutate()}>
        {about && <p className="break-words text-soft">{about}</p>}
        {fields.map((field) => (
          <TextField
            key={field.name}
            label={field.name}
            hint={field.description}
            required={field.required}
            maxLength={4000}
            value={given[field.name] ?? ''}
            onChange={(event) => setGiven({ ...given, [field.name]: event.target.value })}
          />
        ))}
        {write.error && <Problem error={write.error} />}
        <Button type="submit" look="act" className="self-start" disabled={write.isPending}>
          <Trans>Continue</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}
