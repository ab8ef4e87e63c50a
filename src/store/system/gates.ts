import type { GateId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** Whose gate it is, for an operator who answers in somebody's place. */
export async function findGateOwner(system: SystemConnection, id: GateId): Promise<UserId | undefined> {
  const { rows } = await system.query<{ userId: UserId }>('select user_id as "userId" from gates where id = $1', [id]);
  return rows[0]?.userId;
}

/** The gates that webhook jobs have waited at for a day. */
export async function findOverdueGates(system: SystemConnection): Promise<{ id: GateId; userId: UserId }[]> {
  const { rows } = await system.query<{ id: GateId; userId: UserId }>(
    `select gates.id, gates.user_id as "userId" from gates join jobs on jobs.turn_id = gates.turn_id
     where answered_at is null and gates.created_at < now() - interval '24 hours' limit 1000`,
  );
  return rows;
}
