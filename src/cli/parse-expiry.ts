const UNITS = { h: 3_600_000, d: 86_400_000 } as const;

/** `12h` and `30d` count from `now`; anything else must be a date, or a time with its zone. */
export function parseExpiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(T\S+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = unit ? now.getTime() + Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(text);
  if (!(unit || isDate) || Number.isNaN(time))
    throw new Error(`"${text}" is no time. Write 12h, 30d, 2030-01-31 or 2030-01-31T12:00:00Z.`);
  if (time <= now.getTime()) throw new Error(`"${text}" has passed already. Choose a time in the future.`);
  return new Date(time);
}
