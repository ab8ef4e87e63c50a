/** Messages of ours that are always the same. Others may contain an address, a link that signs in, or a tool's own words. */
const MESSAGES = new Set([
  'turn accepted',
  'turn claimed',
  'turn settled',
  'turn failed',
  'model asked',
  'model answered',
  'model failed',
  'tool called',
  'tool answered',
  'tool failed',
  'tool stopped',
  'tool cancelled',
  'gate opened',
  'a safety rule matched',
  'a request failed',
  'a background task failed',
  'a database connection failed',
  'a delivery was given up',
  'a message was ignored',
  'the bucket of attachments did not answer',
  'notes could not be embedded; retrying later',
  'traces could not be sent; retrying later',
  'The database was lost during the start. Trying again.',
]);

/** Fields with ids, codes and figures. Names of tools are in messages of ours only, where a model can't have made them up. */
const FIELDS = new Set([
  'traceId',
  'turnId',
  'threadId',
  'itemId',
  'gateId',
  'reqId',
  'delivery',
  'kind',
  'channel',
  'provider',
]);
const CODES = new Set(['code', 'status', 'model', 'tool']);

/** A line of the log without content: its time and level, fixed messages, ids, codes and figures, and where an error came from. */
export function reduceLogLine(json: string): object | undefined {
  const line = parseLine(json);
  if (!line) return undefined;
  const { level, time, msg, err } = line;
  const isOurs = typeof msg === 'string' && MESSAGES.has(msg);
  const isKept = (name: string) => FIELDS.has(name) || (isOurs && CODES.has(name));
  const fields = Object.entries(line).filter(
    ([name, value]) =>
      (typeof value === 'number' && /^\w{1,40}$/.test(name)) ||
      (isKept(name) && typeof value === 'string' && isName(value)),
  );
  return {
    ...Object.fromEntries(fields.filter(([name]) => !HIDDEN.has(name))),
    time: typeof time === 'number' ? new Date(time).toISOString() : null,
    level,
    msg: isOurs ? msg : '(left out)',
    ...(err !== undefined && { err: reduceError(err) }),
  };
}

const HIDDEN = new Set(['time', 'level', 'pid', 'hostname']);

/** An id, a code or a name, but no sentence and no address. */
const isName = (text: string): boolean => /^[\w.:/-]{1,64}$/.test(text) && !text.includes('//');

function parseLine(json: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(json);
    return typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // a line of another program
  }
}

/** The class, the code and the places in the program. The message of an error may quote what it failed on. */
function reduceError(error: unknown): object {
  const { name, code, stack, cause } = (typeof error === 'object' ? (error ?? {}) : {}) as Record<string, unknown>;
  const frames = typeof stack === 'string' ? [...stack.matchAll(/^\s+at .*?([\w.-]+\.[cm]?[jt]s:\d+):\d+\)?$/gm)] : [];
  return {
    ...(typeof name === 'string' && /^\w{1,40}$/.test(name) && { name }),
    ...(typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) && { code }),
    at: frames.slice(0, 10).map(([, place]) => place),
    ...(cause !== undefined && { cause: reduceError(cause) }),
  };
}
