import { type Logger, pino } from 'pino';

/** Logs as JSON lines, to stdout or to `file`, which begins anew. Of an error it keeps what helps: a driver's error may drag its whole connection along. */
export function createLog(level: string, file?: string): Logger {
  const options = { level, serializers: { err: describeError } };
  return file ? pino(options, pino.destination({ dest: file, append: false, mode: 0o600 })) : pino(options);
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }) };
}
