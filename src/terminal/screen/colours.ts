export type Paint = (text: string) => string;

/** The terminal's own sixteen, so that every theme works. Without colour only weight is left. */
export type Colours = ReturnType<typeof createColours>;

export function createColours(coloured: boolean) {
  const colour = (code: number): Paint => (coloured ? style(code, 39) : (text) => text);
  return {
    bold: style(1, 22),
    faint: style(2, 22),
    italic: style(3, 23),
    underline: style(4, 24),
    inverse: style(7, 27),
    struck: style(9, 29),
    running: colour(34),
    waiting: colour(33),
    done: colour(32),
    failed: colour(31),
    code: colour(36),
    // In code. Yellow, white and black are left out: they vanish on a light or on a dark background.
    keyword: colour(35),
    string: colour(32),
    name: colour(36),
    literal: colour(36),
    comment: style(2, 22),
    added: colour(32),
    removed: colour(31),
  };
}

const style =
  (on: number, off: number): Paint =>
  (text) =>
    `\x1b[${on}m${text}\x1b[${off}m`;
