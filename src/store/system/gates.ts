import type { GateId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** The gate's user, for an operator who answers on their behalf. */
export async function findGateOwner(system: SystemConnection, id: GateId): Promise<UserId | undefined> {
  const { rows } = await system.query<{ userId: UserId }>('select user_id as "userId" from gates where id = $1', [id]);
  return rows[0]?.userId;
}

/** The gates of webhook jobs and mission runs, and of children that work for them, that have waited for a day. */
export async function findOverdueGates(system: SystemConnection): Promise<{ id: GateId; userId: UserId }[]> {
  const { rows } = await system.query<{ id: GateId; userId: UserId }>(
    `select gates.id, gates.user_id as "userId" from gates
     where answered_at is null and gates.created_at < now() - interval '24 hours'
       and (exists (select from jobs where jobs.turn_id = gates.turn_id)
         or exists (select from occurrences where occurrences.turn_id = gates.turn_id)
         or exists (select from turns join turns as above on above.id = turns.tree or above.run = turns.tree
           where turns.id = gates.turn_id and (exists (select from jobs where jobs.turn_id = above.id)
             or exists (select from occurrences where occurrences.turn_id = above.id)))) limit 1000`,
  );
  return rows;
}
