export type ConnectionShares = {
  /** For requests: all queries made on behalf of a user. */
  readonly store: number;
  /** For the statements that move turns, besides the listening connection. */
  readonly engine: number;
  readonly identities: number;
};

/** The smallest total that leaves at least one connection for each purpose, and two for the engine. */
export const FEWEST_CONNECTIONS = 6;

/**
 * Divides the connections of a replica among its pools. A common pool is not possible: the settings that open all users' rows to
 * the engine, or the identities to authentication, belong to a connection for as long as it lives. And a slow query of a user must
 * delay neither the end of a turn nor a sign-in. docs/decisions/database.md explains it.
 */
export function shareConnections(
  total: number,
  { buildsIndexes }: { readonly buildsIndexes: boolean },
): ConnectionShares {
  const listening = 1;
  const building = buildsIndexes ? 1 : 0;
  const identities = total < 10 ? 1 : 2;
  const engine = Math.max(2, Math.round(total * 0.3));
  return { engine, identities, store: total - listening - building - identities - engine };
}
