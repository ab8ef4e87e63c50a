/** Shorter values would be found in any text by chance. */
const LEAST_LENGTH = 6;

export type StreamRedactor = {
  /** What may be said now. The beginning of a value is held back until it is known for something else. */
  push(piece: string): string;
  /** What was held back, once nothing follows. */
  end(): string;
};

/** Takes values out of a text that comes piece by piece, and has no place to take back what was said. */
export function createStreamRedactor(values: ReadonlyMap<string, string>): StreamRedactor {
  const secrets = [...values].flatMap(([name, value]) => {
    const plain = value.trim();
    return plain.length < LEAST_LENGTH ? [] : [{ plain, mark: `[redacted:${name}]` }];
  });
  secrets.sort((one, other) => other.plain.length - one.plain.length); // one may begin with another
  let held = '';

  return {
    push(piece) {
      if (secrets.length === 0) return piece;
      const text = redact(held + piece);
      const start = text.length - Math.max(...secrets.map(({ plain }) => overlap(text, plain)));
      held = text.slice(start);
      return text.slice(0, start);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };

  function redact(text: string): string {
    return secrets.reduce((kept, { plain, mark }) => kept.replaceAll(plain, () => mark), text);
  }
}

/** How much of the text's end is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  const tail = text.slice(-(secret.length - 1));
  for (let at = tail.indexOf(secret.charAt(0)); at >= 0; at = tail.indexOf(secret.charAt(0), at + 1)) {
    if (secret.startsWith(tail.slice(at))) return tail.length - at;
  }
  return 0;
}
