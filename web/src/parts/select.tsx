import type { Choices } from './field.tsx';

/** A list to choose from, whose label stands elsewhere. */
export function Select<T extends string>({ label, choices, value, onChoose }: Choices<T>) {
  return (
    <select
      aria-label={label}
      className="field max-w-full min-w-44 max-md:w-full"
      value={value}
      onChange={(event) => onChoose(event.target.value as T)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.words}
        </option>
      ))}
    </select>
  );
}
