import type { Gate } from '#domain/gate.ts';
import type { UserId } from '#domain/principal.ts';
import type { EnginePool } from './engine-connection.ts';

export type OverdueGate = Gate & { readonly userId: UserId };

/** The gates that webhook jobs have waited at for a day. */
export async function findOverdueGates(pool: EnginePool): Promise<OverdueGate[]> {
  const { rows } = await pool.query<OverdueGate>(
    `select gates.id, gates.thread_id as "threadId", gates.turn_id as "turnId", gates.user_id as "userId", kind, call
     from gates join jobs on jobs.turn_id = gates.turn_id
     where answered_at is null and gates.created_at < now() - interval '24 hours' limit 1000`,
  );
  return rows;
}
