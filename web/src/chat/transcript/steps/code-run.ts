import type { CallEntry } from '@reborn-agent/client/turn-entries';

/** A call that runs code. */
export type CodeRun = { readonly language: 'bash' | 'python'; readonly code: string; readonly title: string };

/** The code of a call; undefined for other calls, and for arguments that the tool refuses. */
export function codeRunOf({ name, arguments: json }: Pick<CallEntry, 'name' | 'arguments'>): CodeRun | undefined {
  const field = FIELDS[name];
  if (!field) return undefined;
  const given = parse(json);
  const code = given?.[field.name];
  if (typeof code !== 'string') return undefined;
  const title = given?.['title'];
  return { language: field.language, code, title: typeof title === 'string' ? title : '' };
}

const FIELDS: Readonly<Record<string, { readonly name: string; readonly language: CodeRun['language'] }>> = {
  reborn_shell: { name: 'command', language: 'bash' },
  reborn_python: { name: 'code', language: 'python' },
};

function parse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined; // the model has not written all of it
  }
}

/** What a run has printed, how it ended if not well, and the files that it has changed. */
export type CodeResult = {
  readonly lines: readonly string[];
  readonly problem: string | undefined;
  readonly files: string | undefined;
};

/** The parts of an output of the service, which are separate lines. */
export function codeResultOf(text: string): CodeResult {
  const lines = text.split('\n').filter((line) => !/^\(no output\)$|^\(new interpreter: /.test(line));
  const files = lines.findLast((line) => line.startsWith('files: '));
  const problem = lines.findLast((line) => /^\((?:exit code -?\d+|stopped.*|the interpreter ended.*)\)$/.test(line));
  return {
    lines: lines.filter((line) => line !== files && line !== problem),
    problem: problem?.slice(1, -1),
    files: files?.slice('files: '.length),
  };
}
