/** The line above a list that makes it shorter. */
export function Filter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="field min-w-40 flex-1 md:w-60 md:flex-none"
    />
  );
}
