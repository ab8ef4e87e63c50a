import { type Logger, pino } from 'pino';

export type LogOptions = {
  /** The file to log to instead of stdout. It is truncated first. */
  readonly file?: string;
  /** Applied to each line before it is written. */
  readonly scrub?: (line: string) => string;
  /** Writes the scrubbed lines instead. */
  readonly write?: ((line: string) => void) | undefined;
};

/** Logs JSON lines. Errors are reduced to their useful fields, because a driver's error may reference its whole connection. */
export function createLog(level: string, { file, scrub = (line) => line, write }: LogOptions = {}): Logger {
  const options = { level, serializers: { err: describeError }, hooks: { streamWrite: scrub } };
  if (write) return pino(options, { write });
  return file ? pino(options, pino.destination({ dest: file, append: false, mode: 0o600 })) : pino(options);
}

/** Logs a tool's line with the tool's level; an unknown level becomes `info`. */
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
