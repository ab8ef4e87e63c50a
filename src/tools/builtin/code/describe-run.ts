import { type Call, type Changes, DEFAULT_LIMITS, type Outcome, type Ran, REFUSED } from '#sandbox/sandbox.ts';

/** How many names that were left out are listed. */
const MOST_NAMED = 10;

/** How much of an output the model reads. */
const MOST_SHOWN = 32 * 1024;
const MOST_KEPT = DEFAULT_LIMITS.outputBytes;

export const isLong = ({ output }: Pick<Ran, 'output'>): boolean => Buffer.byteLength(output) > MOST_SHOWN;

/**
 * What the model reads: the output, then how it ended if not well, then what was not kept. Of a long output it is the first and the last
 * half; `file` has what was kept of it.
 */
export function describeRun(
  call: Call,
  ran: Ran,
  changes: Pick<Changes, 'refused' | 'refusedCount' | 'excess'>,
  file?: string,
): string {
  const notes = [
    call.kind === 'python' && ran.fresh && '(new interpreter: variables of earlier calls are gone, files are not)',
    showControls(isLong(ran) ? shorten(ran, file) : ran.output).trimEnd() || '(no output)',
    describeEnd(call, ran),
    changes.refused.length > 0 && describeRefused(changes),
    changes.excess && `files: not changed, because ${EXCESS[changes.excess]}. They are as before the call.`,
  ];
  return notes.filter((note) => typeof note === 'string').join('\n');
}

function shorten({ output, outputBytes }: Ran, file: string | undefined): string {
  const bytes = Buffer.from(output);
  const head = bytes.subarray(0, MOST_SHOWN / 2).toString();
  const tail = bytes.subarray(-MOST_SHOWN / 2).toString();
  const where = file === undefined ? '' : `; ${outputBytes > MOST_KEPT ? 'most' : 'all'} of it is in ${file}`;
  return `${head.replace(HALF_END, '')}\n... ${outputBytes - MOST_SHOWN} bytes left out${where} ...\n${tail.replace(HALF_START, '')}`;
}

/** What is left of a character that was cut. */
const HALF_END = /\uFFFD$/;
const HALF_START = /^\uFFFD{1,3}/;

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
