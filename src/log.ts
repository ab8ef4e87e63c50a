import { type Logger, pino } from 'pino';

/** Logs as JSON lines, each of which goes through `scrub`. Of an error it keeps what helps: a driver's error may drag its whole connection along. */
export function createLog(level: string, scrub = (line: string) => line): Logger {
  return pino({ level, serializers: { err: describeError }, hooks: { streamWrite: scrub } });
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }) };
}
