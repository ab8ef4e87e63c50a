/** When the first releases of PostgreSQL 18 came out. 18.3 was outside of the schedule, and there is no 18.5: the list can't be computed. */
const MAJOR = 18;
const RELEASES = ['2025-09-25', '2025-11-13', '2026-02-12', '2026-02-26', '2026-05-14', '2026-08-13', '2026-08-13'];

/**
 * When a release of the built-in PostgreSQL came out; undefined for other major versions. Later releases than the listed
 * ones are taken to follow the project's schedule: the second Thursday of February, May, August and November.
 */
export function releaseDateOf(version: string): Date | undefined {
  const [major, minor = Number.NaN] = version.split('.').map(Number);
  if (major !== MAJOR || !Number.isInteger(minor)) return undefined;
  const listed = RELEASES[minor];
  if (listed !== undefined) return new Date(`${listed}T00:00:00Z`);
  const last = new Date(`${RELEASES.at(-1)}T00:00:00Z`);
  const quarters = minor - (RELEASES.length - 1);
  return secondThursday(last.getUTCFullYear(), last.getUTCMonth() + 3 * quarters);
}

function secondThursday(year: number, month: number): Date {
  const first = new Date(Date.UTC(year, month, 1));
  const toThursday = (4 - first.getUTCDay() + 7) % 7;
  return new Date(Date.UTC(year, month, 1 + toThursday + 7));
}

const FOUR_MONTHS_MS = 4 * 30.5 * 86_400_000;

/** A sentence if the built-in PostgreSQL is so old that at least one security release has come out since. */
export function describeAge(version: string, now = new Date()): string | undefined {
  const released = releaseDateOf(version);
  if (!released || now.getTime() - released.getTime() < FOUR_MONTHS_MS) return undefined;
  const month = released.toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return `PostgreSQL ${version} is of ${month} and lacks the security fixes since then.`;
}

/** What an operator can do about it. */
export const RENEW =
  'Install PostgreSQL 18 from your system (on Debian and Ubuntu: postgresql-18 of apt.postgresql.org); Reborn uses it if it is newer. Or update Reborn, or set DATABASE_URL.';
