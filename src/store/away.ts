/** Temporary errors, which are not caused by the statement itself. */
const AWAY = new Set([
  // The connection is lost.
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // The server is shutting down, starting up or stopped, or has ended the session.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  // The server has no connection, memory or disk space left, or the primary has become read-only.
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '25006',
  // A timeout or a conflict with another transaction.
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '55P03',
  '57014',
  // Peers have declared this replica dead. It registers again, and the next try works.
  'RB001',
]);
const WITHOUT_CODE =
  /connection terminated|connection error|connection ended|timeout exceeded when trying to connect|^timeout expired$|query read timeout/i;

/** Whether the database can't be reached or can't answer now, as opposed to having refused the statement. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error && typeof error.code === 'string' ? AWAY.has(error.code) : WITHOUT_CODE.test(error.message);
}
