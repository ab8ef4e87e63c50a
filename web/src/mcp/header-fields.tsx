import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, IconButton } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';

export type Header = { readonly name: string; readonly value: string };

type Props = { readonly headers: readonly Header[]; readonly onChange: (headers: readonly Header[]) => void };

/** Headers that a server wants besides a key, or in its place. */
export function HeaderFields({ headers, onChange }: Props) {
  const change = (at: number, part: Partial<Header>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...part } : header)));
  return (
    <div className="flex flex-col gap-3">
      {headers.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row shows only what is given, and has no name while it is written
        <div key={index} className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 flex-1 basis-40">
            <TextField
              label={t`Header ${index + 1}`}
              required
              autoComplete="off"
              value={name}
              onChange={({ target }) => change(index, { name: target.value })}
            />
          </div>
          <div className="min-w-0 flex-1 basis-40">
            <TextField
              label={t`Value of header ${index + 1}`}
              type="password"
              required
              autoComplete="off"
              value={value}
              onChange={({ target }) => change(index, { value: target.value })}
            />
          </div>
          <IconButton
            icon="close"
            label={t`Remove header ${index + 1}`}
            onClick={() => onChange(headers.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Button icon="add" className="self-start" onClick={() => onChange([...headers, { name: '', value: '' }])}>
        <Trans>Add a header</Trans>
      </Button>
    </div>
  );
}
