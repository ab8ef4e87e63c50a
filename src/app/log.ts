import { type Logger, pino } from 'pino';

export type LogOptions = {
  /** Where to, if not to stdout. It begins anew. */
  readonly file?: string;
  /** Goes over each line before it is written. */
  readonly scrub?: (line: string) => string;
};

/** Logs as JSON lines. Of an error it keeps what helps: a driver's error may drag its whole connection along. */
export function createLog(level: string, { file, scrub = (line) => line }: LogOptions = {}): Logger {
  const options = { level, serializers: { err: describeError }, hooks: { streamWrite: scrub } };
  return file ? pino(options, pino.destination({ dest: file, append: false, mode: 0o600 })) : pino(options);
}

/** What a tool logs has the tool's level; a name that is no level is `info`. */
export function writeToolLine(log: Logger, tool: string, line: { level: string; message: string }): void {
  const level = TOOL_LEVELS.find((name) => name === line.level) ?? 'info';
  log[level]({ tool }, line.message);
}

const TOOL_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }) };
}
