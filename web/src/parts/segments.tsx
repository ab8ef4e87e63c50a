import { Icon, type IconName } from './icon.tsx';

type Choice<T extends string> = { readonly value: T; readonly words: string; readonly icon?: IconName };

/** A few choices side by side, of which one holds. */
export function Segments<T extends string>({
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
  return (
    <fieldset className="segments">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={label}
            className="sr-only"
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          {choice.icon && <Icon name={choice.icon} />}
          {choice.words}
        </label>
      ))}
    </fieldset>
  );
}
