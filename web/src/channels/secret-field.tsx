import { t } from '@lingui/core/macro';
import { TextField } from '../parts/field.tsx';

type Props = {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** A token or password: it is sent once, and no answer of the service contains it. */
export function SecretField({ hint, onChange, ...rest }: Props) {
  return (
    <TextField
      type="password"
      autoComplete="off"
      required
      hint={`${hint} ${t`Stored encrypted, and never shown again.`}`}
      onChange={(event) => onChange(event.target.value)}
      {...rest}
    />
  );
}
