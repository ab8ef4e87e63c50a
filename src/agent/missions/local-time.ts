const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * A local date and time, written as if it were UTC. Time zone rules come from the ICU data of Node; the database has
 * other data, so no local time is ever computed in SQL.
 */
export type LocalTime = number;

/** What the clocks of `timeZone` show at `instant`. */
export const toLocal = (instant: number, timeZone: string): LocalTime => instant + offsetAt(instant, timeZone);

/**
 * The instant when clocks show `local`. A time that occurs twice is the first of the two. A time that clocks skip is
 * the first instant after the gap, unless the gap swallows the whole date: then there is none.
 */
export function toInstant(local: LocalTime, timeZone: string): number | undefined {
  const [before, after] = [offsetAt(local - DAY, timeZone), offsetAt(local + DAY, timeZone)];
  // The larger offset gives the earlier instant.
  const found = [Math.max(before, after), Math.min(before, after)]
    .map((offset) => local - offset)
    .find((instant) => toLocal(instant, timeZone) === local);
  if (found !== undefined) return found;
  return after - before >= DAY ? undefined : findTransition(local - DAY, local + DAY, timeZone);
}

/** The first instant of the offset that holds at `end`, to the millisecond. */
function findTransition(start: number, end: number, timeZone: string): number {
  const offset = offsetAt(end, timeZone);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, timeZone) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Clocks change at whole quarters of an hour, so one offset serves all instants of a quarter. */
function offsetAt(instant: number, timeZone: string): number {
  const key = `${timeZone} ${Math.floor(instant / QUARTER)}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= MOST_OFFSETS) offsets.clear();
  const offset = readOffset(Math.floor(instant / QUARTER) * QUARTER, timeZone);
  offsets.set(key, offset);
  return offset;
}

const QUARTER = 15 * MINUTE;
const MOST_OFFSETS = 20_000;
const offsets = new Map<string, number>();

function readOffset(instant: number, timeZone: string): number {
  const whole = Math.floor(instant / 1000) * 1000;
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - whole;
}

/** A zone counts in each spelling, such as `europe/oslo`. */
const MOST_FORMATTERS = 1000;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= MOST_FORMATTERS) formatters.clear();
  formatters.set(timeZone, formatter);
  return formatter;
}

/** Whether `name` is an IANA time zone. Offsets and abbreviations are not: they don't follow clock changes. */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}
