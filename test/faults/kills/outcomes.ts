import type { Cluster } from '../cluster.ts';
import { query } from '../query.ts';
import { STAMP } from './script.ts';

/** What a workspace has come to: its outputs, each with the version that was written with it, and all its versions. */
type Outcome = { readonly outputs: readonly Output[]; readonly versions: readonly Version[] };
type Output = { readonly text: string; readonly version: number | null };
/** `files`: path, hash of the stored bytes, mode, of the whole tree. */
type Version = { readonly version: number; readonly files: readonly string[] };

export async function readOutcomes(
  cluster: Cluster,
  threads: ReadonlyMap<number, string>,
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  for (const [workspace, thread] of threads) {
    const [outputs, versions] = [
      await query<Output>(cluster, OUTPUTS, [thread]),
      await query<Version>(cluster, VERSIONS, [thread, STAMP]),
    ];
    outcomes.set(workspace, { outputs, versions });
  }
  return outcomes;
}

/** Refusals are left out: nothing has happened, and the call was sent again. If one had a version, the next numbers would differ. */
const OUTPUTS = `
  select body #>> '{output,0,text}' as text, v.version from items
  left join workspace_versions as v on v.item_id = items.id
  where items.thread_id = $1 and body ->> 'type' = 'function_call_output'
    and (body #>> '{output,0,text}' not like 'Not run: %' or v.version is not null)
  order by turn_seq, position`;

const VERSIONS = `
  select v.version, (
    select array_agg(format('%s %s %s', f.path, case when f.path = $2 then 'any' else f.digest end, f.mode) order by f.path) from (
      select distinct on (w.path) w.path, w.sha256, w.mode,
        coalesce(encode(sha256(a.content), 'hex'), 'missing') as digest
      from workspace_files as w left join attachments as a on a.user_id = w.user_id and a.sha256 = w.sha256
      where w.workspace_id = v.workspace_id and w.version <= v.version order by w.path, w.version desc
    ) as f where f.sha256 is not null) as files
  from workspace_versions as v where v.workspace_id = $1 order by v.version`;

/** In words, what differs from the undisturbed run. */
export function differences(expected: ReadonlyMap<number, Outcome>, seen: ReadonlyMap<number, Outcome>): string[] {
  return [...expected].flatMap(([workspace, quiet]) => {
    const disturbed = seen.get(workspace);
    if (!disturbed) return [`workspace ${workspace} is missing`];
    return [
      ...compare(`output in workspace ${workspace}`, quiet.outputs, disturbed.outputs),
      ...compare(`version of workspace ${workspace}`, quiet.versions, disturbed.versions),
      ...withoutVersion(workspace, disturbed),
    ];
  });
}

function compare(what: string, expected: readonly object[], seen: readonly object[]): string[] {
  const at = Array.from({ length: Math.max(expected.length, seen.length) }, (_, index) => index).find(
    (index) => JSON.stringify(expected[index]) !== JSON.stringify(seen[index]),
  );
  if (at === undefined) return [];
  return [`${what}, ${at + 1}: ${JSON.stringify(seen[at])} instead of ${JSON.stringify(expected[at])}`];
}

/** Each version belongs to exactly one output, which names it. */
function withoutVersion(workspace: number, { outputs, versions }: Outcome): string[] {
  const named = outputs.map(({ text }) => Number(/; version (\d+)$/m.exec(text)?.[1] ?? 0));
  const wrong = outputs.findIndex(({ version }, index) => (version ?? 0) !== named[index]);
  return [
    ...(wrong === -1 ? [] : [`output ${wrong + 1} of workspace ${workspace} does not have the version that it names`]),
    ...(outputs.filter(({ version }) => version !== null).length === versions.length
      ? []
      : [`workspace ${workspace} has a version without an output`]),
  ];
}
