import type { Cluster } from '../faults/cluster.ts';
import { query } from '../faults/query.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';

/** Which numbered messages were together in one prompt. */
export type SeenTogether = ReadonlySet<string>;

/** Notes the numbers of the messages in each prompt, and lets the model forget the prompts themselves. */
export function startWatchingPrompts(model: Pick<ScriptedModel, 'hooks' | 'seen'>): SeenTogether {
  const together = new Set<string>();
  model.hooks.onPrompt = ({ messages }) => {
    const numbers = messages.flatMap(({ role, text }) => (role === 'user' ? (/^#(\d+)\n/.exec(text)?.[1] ?? []) : []));
    // The first and the last show whether two threads are mixed; all pairs would be too many.
    const [first, last] = [numbers[0], numbers.at(-1)];
    if (first && last && first !== last) together.add(`${first} ${last}`);
    model.seen.splice(0);
  };
  return together;
}

/** Prompts that contain messages of two threads. */
export async function findLeaks(cluster: Cluster, together: SeenTogether): Promise<string[]> {
  const rows = await query<{ number: string; thread: string }>(
    cluster,
    `select substring(body #>> '{content,0,text}' from '^#(\\d+)') as number, thread_id::text as thread from items
     where position = 0 and body #>> '{content,0,text}' ~ '^#\\d+\\n'`,
  );
  const threadOf = new Map(rows.map(({ number, thread }) => [number, thread]));
  return [...together]
    .map((pair) => pair.split(' '))
    .filter(([first = '', last = '']) => threadOf.get(first) !== threadOf.get(last))
    .map(([first, last]) => `messages of two threads are in one prompt: #${first} and #${last}`);
}
