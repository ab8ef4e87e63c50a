/** The intervals and deadlines of the engine, in milliseconds. They are not settings: only tests pass other ones. */
export type EngineTimes = {
  /** How often a replica renews its lease. */
  readonly heartbeat: number;
  /** Without peers no other replica could take over, so the heartbeat may be slower. */
  readonly heartbeatAlone: number;
  /** A peer that has missed a heartbeat and no longer holds its presence lock is suspected. */
  readonly quiet: number;
  /** How soon a suspected peer is checked again. */
  readonly lookAgain: number;
  /** A hanging connection is abandoned well before the lease expires. */
  readonly answer: number;
  /** A suspected peer that is silent for this long has died. */
  readonly silent: number;
  /** A peer that is silent for this long is declared dead, even if its connection still holds the lock. */
  readonly lease: number;
  /** After a gap, a replica judges peers only once its own heartbeat has been steady for this long: they probably had the same gap. */
  readonly steady: number;
  /** Two heartbeats further apart than this are not steady. */
  readonly gap: number;
  /** A lease is renewed more often than work that stays due must be looked at. */
  readonly duePause: number;
  /** All replicas have noticed by then that a user was removed, and accept nothing more from them. */
  readonly removalNoticed: number;
  /** How often the leader looks for turns that neither run nor wait. */
  readonly sweep: number;
  /** How soon after its start the leader deletes expired rows for the first time. */
  readonly firstPurge: number;
};

export const ENGINE_TIMES: EngineTimes = {
  heartbeat: 400,
  heartbeatAlone: 1000,
  quiet: 500,
  lookAgain: 250,
  answer: 3000,
  silent: 700,
  lease: 15_000,
  steady: 2000,
  gap: 3000,
  duePause: 900,
  removalNoticed: 2000,
  sweep: 15_000,
  firstPurge: 15_000,
};
