import { useRef, useState } from 'react';

const selectAll = (input: HTMLInputElement | null) => input?.select();

/** A name while it is typed. Enter keeps it, Escape does not. */
export function NameInput({
  label,
  name,
  maxLength,
  onKeep,
  onDone,
}: {
  readonly label: string;
  readonly name: string;
  readonly maxLength: number;
  /** Called only with another name. */
  readonly onKeep: (name: string) => void;
  readonly onDone: () => void;
}) {
  const [text, setText] = useState(name);
  const isOver = useRef(false); // a field that goes away loses the focus, too
  const end = (isKept: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    if (isKept && text.trim() !== name) onKeep(text.trim());
    onDone();
  };
  return (
    <input
      ref={selectAll}
      aria-label={label}
      className="field w-full px-2"
      maxLength={maxLength}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') end(true);
        if (event.key === 'Escape') end(false);
      }}
    />
  );
}
