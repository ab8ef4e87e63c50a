import type { TurnId } from '../ids.ts';

/**
 * A turn in the tree of its thread. Turns that follow the same one are versions of each other; the shown ones are a line.
 * A turn always has a larger number than the one it follows.
 */
export type PlacedTurn = {
  readonly id: TurnId;
  readonly seq: number;
  /** The number of the turn it follows; 0 for the first one. */
  readonly follows: number;
  /** The number of the first turn with the same message, if it asks again instead of asking something else. */
  readonly origin: number | null;
  readonly hidden: boolean;
  readonly failed: boolean;
};

/** The numbers of the turns from the start of the thread to the turn `seq`, newest first. */
export function lineTo(turns: readonly PlacedTurn[], seq: number): number[] {
  const follows = new Map(turns.map((turn) => [turn.seq, turn.follows]));
  const line: number[] = [];
  for (let at: number | undefined = seq; at !== undefined && at > 0; at = follows.get(at)) line.push(at);
  return line;
}

/** The newest turn that follows the turn `seq`, directly or not; `seq` itself when none does. */
export function newestAfter(turns: readonly PlacedTurn[], seq: number): number {
  const after = new Set([seq]);
  for (const turn of turns.toSorted((one, other) => one.seq - other.seq))
    if (after.has(turn.follows)) after.add(turn.seq);
  return Math.max(...after);
}

/** One of several versions: its number from 1, and the turns that show the versions next to it. */
export type VersionPosition = {
  readonly number: number;
  readonly count: number;
  readonly previous: TurnId | null;
  readonly next: TurnId | null;
};

/** Where a shown turn is among the versions of its message, and among the answers to that message; null where it is the only one. */
export type TurnVersions = {
  readonly turnId: TurnId;
  readonly message: VersionPosition | null;
  readonly answer: VersionPosition | null;
};

/** The versions of each shown turn that has any. A failed attempt that was replaced does not count. */
export function versionsOf(turns: readonly PlacedTurn[]): TurnVersions[] {
  const known = turns.filter((turn) => !turn.hidden || !turn.failed).toSorted((one, other) => one.seq - other.seq);
  const siblings = Map.groupBy(known, ({ follows }) => follows);
  return known.flatMap((turn) => {
    if (turn.hidden) return [];
    const messages = [...Map.groupBy(siblings.get(turn.follows) ?? [], messageOf).values()];
    const answers = messages.find((group) => group.includes(turn)) ?? [];
    const newest = messages.map((group) => group.at(-1) ?? turn);
    const found = {
      turnId: turn.id,
      message: positionIn(newest, messages.indexOf(answers)),
      answer: positionIn(answers, answers.indexOf(turn)),
    };
    return found.message || found.answer ? [found] : [];
  });
}

const messageOf = ({ seq, origin }: PlacedTurn) => origin ?? seq;

function positionIn(versions: readonly PlacedTurn[], index: number): VersionPosition | null {
  if (versions.length < 2) return null;
  return {
    number: index + 1,
    count: versions.length,
    previous: versions[index - 1]?.id ?? null,
    next: versions[index + 1]?.id ?? null,
  };
}
