import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';

type Question = NonNullable<OpenGate['question']>;
type Field = Question['fields'][number];
type Input = NonNullable<GateAnswer['input']>;
type Props = { readonly question: Question; readonly onAnswer: (answer: GateAnswer) => Promise<void> };

/** What an MCP server asks: fields to fill in, or a page to open. The values go to the server, not to the model. */
export function QuestionForm({ question, onAnswer }: Props) {
  const [input, setInput] = useState<Input>({});
  const [busy, setBusy] = useState(false);
  const { message, url, fields } = question;
  const set = (name: string, value: Input[string] | undefined) =>
    setInput(({ [name]: _before, ...rest }) => (value === undefined ? rest : { ...rest, [name]: value }));
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => {
        setBusy(true);
        void onAnswer({ answer: 'approve', input }).then(() => setBusy(false));
      }}
    >
      <p className="whitespace-pre-wrap break-words">{message}</p>
      {url !== null && (
        <p className="break-words">
          <Trans>
            Open{' '}
            <a className="link exact" href={url} target="_blank" rel="noreferrer noopener">
              {url}
            </a>{' '}
            (on {exactly(new URL(url).host)}), and continue here when you are done.
          </Trans>
        </p>
      )}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={input[field.name]}
          onChange={(value) => set(field.name, value)}
        />
      ))}
      <Button type="submit" look="act" className="self-start" disabled={busy}>
        {url === null ? t`Send the answer` : t`Continue`}
      </Button>
    </Form>
  );
}

type FieldProps = {
  readonly field: Field;
  readonly value: Input[string] | undefined;
  readonly onChange: (value: Input[string] | undefined) => void;
};

const exactly = (text: string) => <span className="exact">{text}</span>;

function FieldInput({ field, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {field.title}
        {!field.required && (
          <span className="text-soft">
            {' '}
            <Trans>(optional)</Trans>
          </span>
        )}
      </label>
      {field.description && <p className="break-words text-meta text-soft">{field.description}</p>}
      <Control id={id} field={field} value={value} onChange={onChange} />
    </div>
  );
}

function Control({ id, field, value, onChange }: FieldProps & { readonly id: string }) {
  const { type, required, options, min, max } = field;
  if (type === 'boolean' || type === 'choice') {
    const choices = type === 'boolean' ? yesOrNo() : options;
    const read = (text: string) => (text === '' ? undefined : type === 'boolean' ? text === 'yes' : text);
    const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');
    return (
      <select
        id={id}
        className="field"
        required={required}
        value={shown}
        onChange={(event) => onChange(read(event.target.value))}
      >
        <option value="">
          <Trans>Choose…</Trans>
        </option>
        {choices.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'choices') {
    const chosen = Array.isArray(value) ? value : [];
    return (
      <select
        id={id}
        multiple
        className="field"
        required={required}
        value={chosen}
        onChange={(event) => {
          const picked = [...event.target.selectedOptions].map((option) => option.value);
          onChange(picked.length > 0 ? picked : undefined);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = type !== 'text';
  return (
    <input
      id={id}
      className="field"
      required={required}
      type={isNumber ? 'number' : 'text'}
      {...(isNumber
        ? { step: type === 'integer' ? 1 : 'any', min: min ?? undefined, max: max ?? undefined }
        : { maxLength: 4000 })}
      value={typeof value === 'string' || typeof value === 'number' ? value : ''}
      onChange={(event) => {
        const { value: text } = event.target;
        onChange(text === '' ? undefined : isNumber ? Number(text) : text);
      }}
    />
  );
}

const yesOrNo = () => [
  { value: 'yes', label: t`Yes` },
  { value: 'no', label: t`No` },
];
