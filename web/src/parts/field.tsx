import { type ComponentProps, type ReactNode, useId } from 'react';

const BOX = 'w-full min-h-8 rounded border border-edge bg-raised px-3 py-1 text-m';

/** A labelled line of text. */
export function TextField({
  label,
  hint,
  ...rest
}: ComponentProps<'input'> & { readonly label: string; readonly hint?: string }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint}>
      <input id={id} className={BOX} aria-describedby={hint ? `${id}-hint` : undefined} {...rest} />
    </Labelled>
  );
}

/** A labelled text of several lines. */
export function TextArea({
  label,
  hint,
  className = 'text-m',
  ...rest
}: ComponentProps<'textarea'> & { readonly label: string; readonly hint?: string }) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea
        id={id}
        className={`w-full rounded border border-edge bg-raised px-3 py-2 ${className}`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
    </Labelled>
  );
}

type Choice<T extends string> = { readonly value: T; readonly words: string };

export function ChoiceField<T extends string>({
  label,
  choices,
  value,
  onChoose,
}: {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}) {
  const id = useId();
  return (
    <Labelled id={id} label={label}>
      <select id={id} className={BOX} value={value} onChange={(event) => onChoose(event.target.value as T)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.words}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type LabelledProps = {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
};

function Labelled({ id, label, hint, children }: LabelledProps) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-s font-medium">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="text-s text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
