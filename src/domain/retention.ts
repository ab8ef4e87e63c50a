/** What has an age limit. Nothing else of a user's data is ever deleted by age. */
export const RETENTION_KINDS = [
  'threads',
  'versions',
  'notes',
  'jobs',
  'deliveries',
  'occurrences',
  'usage',
  'audit',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** How many days something is kept; null: without limit. */
export type Days = number | null;
export type Retention = Readonly<Record<RetentionKind, Days>>;

/** The kinds that were set, for everyone or for one user. A kind without an entry is inherited. */
export type RetentionRules = Readonly<Partial<Record<RetentionKind, Days>>>;

/** The owner of the rules that apply to everyone. */
export const EVERYONE = '*';

/** Nothing that a person wrote is deleted unless the operator asks for it. The age limit of jobs is a setting. */
export const DEFAULT_RETENTION: Omit<Retention, 'jobs'> = {
  threads: null,
  versions: 30,
  notes: 365,
  deliveries: 30,
  occurrences: 90,
  usage: 1095,
  audit: 1095,
};

/** A stolen operator token must not erase its traces, and the usage page shows a month. */
export const SHORTEST_DAYS: Readonly<Record<RetentionKind, number>> = {
  threads: 1,
  versions: 1,
  notes: 1,
  jobs: 1,
  deliveries: 1,
  occurrences: 1,
  usage: 31,
  audit: 90,
};
export const LONGEST_DAYS = 36_500;

/** The audit log belongs to the installation, so no user has their own limit for it. */
export const isOwnKind = (kind: RetentionKind): boolean => kind !== 'audit';

export const isValidDays = (kind: RetentionKind, days: Days): boolean =>
  days === null || (Number.isInteger(days) && days >= SHORTEST_DAYS[kind] && days <= LONGEST_DAYS);
