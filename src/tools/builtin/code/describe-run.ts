import { type Call, type Changes, type Outcome, type Ran, REFUSED } from '#sandbox/sandbox.ts';

/** How many names that were left out are listed. */
const MOST_NAMED = 10;

/** What the model reads: the output, then how it ended if not well, then what was not kept. */
export function describeRun(
  call: Call,
  ran: Ran,
  changes: Pick<Changes, 'refused' | 'refusedCount' | 'excess'>,
): string {
  const notes = [
    call.kind === 'python' && ran.fresh && '(new interpreter: variables of earlier calls are gone, files are not)',
    showControls(ran.output).trimEnd() || '(no output)',
    describeEnd(call, ran),
    changes.refused.length > 0 && describeRefused(changes),
    changes.excess && `files: not changed, because ${EXCESS[changes.excess]}. They are as before the call.`,
  ];
  return notes.filter((note) => typeof note === 'string').join('\n');
}

function describeEnd(call: Call, { outcome, exitCode }: Ran): string | undefined {
  if (outcome !== 'exit') return `(${ENDS[outcome].replace('SECONDS', String(call.timeoutMs / 1000))})`;
  return exitCode === 0 || call.kind === 'python' ? undefined : `(exit code ${exitCode})`;
}

const ENDS: Record<Exclude<Outcome, 'exit'>, string> = {
  timeout: 'stopped after SECONDS s; use timeout_s for more, up to 600',
  memory: 'stopped: it used too much memory',
  files: 'stopped: it made too many files',
  ended: 'the interpreter ended; its variables are gone',
  stopped: 'stopped by the user',
};

const EXCESS = {
  files: 'there are too many of them',
  bytes: 'they are too large together',
} as const;

function describeRefused({ refused, refusedCount }: Pick<Changes, 'refused' | 'refusedCount'>): string {
  const named = refused.slice(0, MOST_NAMED).map(({ name, reason }) => `${name} (${REFUSED[reason]})`);
  const more = Math.max(refusedCount, refused.length) - named.length;
  return `not kept: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Nothing that a terminal or a page could interpret, such as escapes or a change of direction. Line ends and tabs stay. */
export const showControls = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n/g, '\n')
    .replaceAll(
      /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
