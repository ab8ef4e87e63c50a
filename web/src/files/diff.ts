/** A line that both texts have, or one of them. `before` and `after` are its numbers there. */
export type Line = {
  readonly kind: 'same' | 'removed' | 'added';
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
};

/** Texts that differ in more lines than this are shown as replaced: finding the shortest way takes the square of it. */
const MOST_EDITS = 1000;

/** What changed from one text to the other, line by line, in the shortest way (Myers 1986). */
export function diffLines(before: string, after: string): Line[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const kinds: Line['kind'][] = [
    ...Array.from({ length: start }, () => 'same' as const),
    ...shortest(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...Array.from({ length: end }, () => 'same' as const),
  ];
  return numbered(kinds, a, b);
}

/** A text ends with a line break; nothing after it is a line. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

function shortest(a: readonly string[], b: readonly string[]): Line['kind'][] {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  /** How far along `a` each diagonal reaches; a copy for each number of edits leads the way back. */
  const reached = new Map([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let { x } = startOf(reached, diagonal, edits);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return wayBack(trace, a.length, b.length);
    }
  }
  return [...a.map(() => 'removed' as const), ...b.map(() => 'added' as const)];
}

/** Where a diagonal begins: below the one above it (an added line), or right of the one beside it (a removed one). */
function startOf(reached: ReadonlyMap<number, number>, diagonal: number, edits: number) {
  const above = reached.get(diagonal + 1) ?? -1;
  const beside = reached.get(diagonal - 1) ?? -1;
  const isDown = diagonal === -edits || (diagonal !== edits && beside < above);
  return { x: isDown ? above : beside + 1, isDown };
}

function wayBack(trace: readonly ReadonlyMap<number, number>[], width: number, height: number): Line['kind'][] {
  const kinds: Line['kind'][] = [];
  let x = width;
  let y = height;
  for (const [edits, reached] of [...trace.entries()].toReversed()) {
    const start = startOf(reached, x - y, edits);
    for (; x > start.x; x--, y--) kinds.push('same');
    if (edits === 0) break;
    kinds.push(start.isDown ? 'added' : 'removed');
    if (start.isDown) y--;
    else x--;
  }
  return kinds.toReversed();
}

function numbered(kinds: readonly Line['kind'][], a: readonly string[], b: readonly string[]): Line[] {
  let before = 0;
  let after = 0;
  return kinds.map((kind) => {
    if (kind !== 'added') before++;
    if (kind !== 'removed') after++;
    return {
      kind,
      before: kind === 'added' ? undefined : before,
      after: kind === 'removed' ? undefined : after,
      text: (kind === 'removed' ? a[before - 1] : b[after - 1]) ?? '',
    };
  });
}

/** Lines that are shown, or that are the same in both and folded. */
export type Piece = { readonly isFolded: boolean; readonly lines: readonly Line[] };

/** Folds the lines that are further than `around` from each change. A single one is not worth a fold. */
export function foldSame(lines: readonly Line[], around = 3): Piece[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let at = index - around; at <= index + around; at++) near.add(at);
  const pieces: { isFolded: boolean; lines: Line[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const isFolded = !near.has(index);
    const last = pieces.at(-1);
    if (last?.isFolded === isFolded) last.lines.push(line);
    else pieces.push({ isFolded, lines: [line] });
  }
  return pieces.map((piece) => (piece.lines.length === 1 ? { ...piece, isFolded: false } : piece));
}

/** The two columns: a line on each side, or on one of them. */
export type Pair = readonly [Line | undefined, Line | undefined];

export function pairLines(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      pairs.push([removed[index], added[index]]);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}
