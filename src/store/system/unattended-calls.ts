import type { SystemConnection } from './system-connection.ts';

/** Filters the tools: called since then in events of webhooks or in runs of missions, where the person is absent. */
export async function findUnattendedCalls(
  system: SystemConnection,
  { tools, days }: { readonly tools: readonly string[]; readonly days: number },
): Promise<string[]> {
  const { rows } = await system.query<{ name: string }>(FIND, [tools, days]);
  return rows.map(({ name }) => name);
}

const FIND = `
  select name from unnest($1::text[]) as name
  where exists (
    select from items join turns on turns.thread_id = items.thread_id and turns.id = items.turn_id
    where items.created_at > now() - make_interval(days => $2)
      and items.body::text like '%"type":"function_call"%' and strpos(items.body::text, '"name":' || to_json(name)) > 0
      and (turns.channel = 'webhook' or turns.request::text like '%"mission":{%')
  )
  order by name`;
