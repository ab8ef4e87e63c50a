import { type ComponentProps, type ReactNode, useId } from 'react';

type Notes = {
  readonly hint?: string | undefined;
  /** What is wrong with the value, in a sentence. */
  readonly error?: string | undefined;
};

/** A labelled line of text. */
export function TextField({
  label,
  hint,
  error,
  ...rest
}: ComponentProps<'input'> & Notes & { readonly label: string }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input id={id} className="field w-full" {...describedBy(id, { hint, error })} {...rest} />
    </Labelled>
  );
}

/** A labelled text of several lines. */
export function TextArea({
  label,
  hint,
  className = '',
  ...rest
}: ComponentProps<'textarea'> & { readonly label: string; readonly hint?: string }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea
        id={id}
        className={`field w-full py-2 ${className}`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
    </Labelled>
  );
}

export type Choices<T extends string> = {
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly words: string }[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
};

export function ChoiceField<T extends string>({ label, choices, value, onChoose, hint, error }: Notes & Choices<T>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        className="field w-full"
        value={value}
        onChange={(event) => onChoose(event.target.value as T)}
        {...describedBy(id, { hint, error })}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.words}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type CheckProps = Notes & {
  readonly words: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

export function CheckField({ words, hint, error, checked, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        className="mt-1"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        {...describedBy(id, { hint, error })}
      />
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={id}>{words}</label>
        <FieldError id={id} error={error} />
        {hint && <Hint id={id}>{hint}</Hint>}
      </div>
    </div>
  );
}

/** Connects a field with its hint and its error for screen readers. */
function describedBy(id: string, { hint, error }: Notes) {
  const ids = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean);
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error !== undefined && { 'aria-invalid': true }),
  };
}

type LabelledProps = Notes & { readonly id: string; readonly label: string; readonly children: ReactNode };

function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <FieldError id={id} error={error} />
      {hint && <Hint id={id}>{hint}</Hint>}
    </div>
  );
}

function FieldError({ id, error }: { readonly id: string; readonly error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <p id={`${id}-error`} role="alert" className="break-words text-meta text-failed">
      {error}
    </p>
  );
}

function Hint({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <p id={`${id}-hint`} className="text-meta text-soft">
      {children}
    </p>
  );
}
