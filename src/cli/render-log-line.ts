const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** Shown in another form, or without interest on one's own machine. */
const HIDDEN = new Set(['time', 'level', 'msg', 'err', 'pid', 'hostname']);

/** A JSON line of the log as people read it: the time, the message, and its fields in brackets. */
export function renderLogLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const { time, level, msg = '', err } = line;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const fields = Object.entries(line)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const cause = causeOf(err);
  const said = [String(msg), ...(cause && cause !== msg ? [cause] : [])].filter(Boolean).join(': ');
  return `${clock}  ${LEVELS[Number(level)] ?? ''}${said}${fields.length > 0 ? `  (${fields.join(', ')})` : ''}`;
}

/** The messages of an error and its causes. */
function causeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message = '', cause } = error as { message?: string; cause?: unknown };
  return [message, causeOf(cause)].filter(Boolean).join(': ');
}
