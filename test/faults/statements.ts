/** Parts of the engine's write statements, where a connection can freeze or an answer get lost. */
export const STATEMENTS = {
  accept: /accept_turns/,
  append: /append_items/,
  settle: /settle_turns/,
  claim: /claim_turns/,
  beat: /update replicas set seen_at/,
  events: /insert into turn_events/,
} as const;
