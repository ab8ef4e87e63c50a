import type { Client } from '@reborn-agent/client';
import type { TreeNode } from '@reborn-agent/client/api';
import { stateOfSubagent } from '@reborn-agent/client/subagents';
import type { Choice } from '../screen/picker.ts';
import { oneLine } from '../screen/printable.ts';
import { SUBAGENT_WORDS } from '../screen/render-subagents.ts';
import type { Screen } from '../screen/screen.ts';
import type { ThreadView } from '../thread-view.ts';
import { goTo } from './thread-list.ts';

type Chat = Parameters<typeof goTo>[0] & {
  readonly client: Client;
  readonly screen: Pick<Screen, 'pickWith'>;
  readonly thread: Pick<ThreadView, 'now' | 'note' | 'open'>;
};

/** `/subagents`: opens or stops those that work for this thread. In the thread of a subagent, it leads back to the thread that started it. */
export async function listSubagents(chat: Chat): Promise<void> {
  const { threadId: id } = chat.thread.now();
  if (id === undefined) return chat.thread.note(NONE);
  const params = { id };
  const [{ parent_id: above }, { nodes }] = await Promise.all([
    chat.client.call('GET /api/threads/{id}', { params }),
    chat.client.call('GET /api/threads/{id}/tree', { params }),
  ]);
  await pickSubagent(
    chat,
    above,
    nodes.filter(({ state }) => state !== 'ended'),
  );
}

const NONE = 'No subagent works for this thread.';

/** One that was stopped leaves the list at once, with those below it. */
async function pickSubagent(chat: Chat, above: string | undefined, working: readonly TreeNode[]): Promise<void> {
  if (above === undefined && working.length === 0) return chat.thread.note(NONE);
  const up = above === undefined ? [] : [{ value: above, label: 'To the thread of the task' }];
  const picked = await chat.screen.pickWith(['delete'], TITLE, [...up, ...choicesOf(working)]);
  if (!picked) return;
  const { value: id, key } = picked;
  const subagent = working.find((node) => node.thread_id === id);
  if (key === 'enter') return goTo(chat, id, () => chat.thread.open(id));
  if (!subagent) return pickSubagent(chat, above, working);
  await chat.client.call('POST /api/subagents/{call}/stop', { params: { call: subagent.call } });
  chat.thread.note(`Stopped: ${oneLine(subagent.task)}`);
  const left = without(working, subagent);
  if (left.length > 0) await pickSubagent(chat, above, left);
}

const TITLE = 'Subagents at work (Enter opens, Delete stops, Esc goes back)';

function choicesOf(nodes: readonly TreeNode[]): Choice[] {
  const top = Math.min(...nodes.map(({ depth }) => depth));
  return nodes.map((node) => ({
    value: node.thread_id,
    label: `${'  '.repeat(node.depth - top)}${oneLine(node.task)}`,
    description: SUBAGENT_WORDS[stateOfSubagent(node)],
  }));
}

/** Each comes after the one above it. */
function without(nodes: readonly TreeNode[], stopped: TreeNode): TreeNode[] {
  const gone = new Set([stopped.thread_id]);
  return nodes.filter(({ thread_id: id, parent_id: parent }) => {
    if (gone.has(parent)) gone.add(id);
    return !gone.has(id);
  });
}
