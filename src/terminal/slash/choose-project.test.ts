import type { Client } from '@reborn-agent/client';
import { expect, test } from 'vitest';
import { chooseProject } from './choose-project.ts';

const PROJECTS = [
  { id: 'p1', name: 'Move to Oslo', role: 'owner', owner: { name: 'Tilo' } },
  { id: 'p2', name: 'Taxes', role: 'read', owner: { name: 'Ann' } },
];

/** A chat that notes what was called and said. */
function createChat(threadId: string | undefined, projects: readonly object[] = PROJECTS, picked?: string) {
  const said: string[] = [];
  const moved: unknown[] = [];
  const begun: unknown[] = [];
  const call = async (route: string, request?: unknown) => {
    if (route === 'GET /api/projects') return { projects };
    moved.push(request);
    return {};
  };
  const chat: Parameters<typeof chooseProject>[0] = {
    client: { call } as unknown as Client,
    screen: { pick: async () => picked },
    thread: {
      note: (text) => void said.push(text),
      now: () => ({ threadId }) as ReturnType<(typeof chat)['thread']['now']>,
      begin: (how) => void begun.push(how),
    },
  };
  return { chat, said, moved, begun };
}

test('a thread is moved into a project by its name, in any case, and out of it', async () => {
  const { chat, said, moved } = createChat('t1');
  await chooseProject(chat, 'move to oslo');
  await chooseProject(chat, 'off');
  expect(moved).toEqual([
    { params: { id: 't1' }, body: { project_id: 'p1' } },
    { params: { id: 't1' }, body: { project_id: null } },
  ]);
  expect(said).toEqual(['This thread is in the project Move to Oslo.', 'This thread is in no project.']);
});

test('a thread without messages begins in the project that is picked', async () => {
  const { chat, said, moved, begun } = createChat(undefined, PROJECTS, 'p2');
  await chooseProject(chat, '');
  expect({ moved, begun }).toEqual({ moved: [], begun: [{ project: 'p2' }] });
  expect(said).toEqual(['The next message begins a thread in the project Taxes.']);
});

test('an unknown name says which projects there are, and without any, how one is made', async () => {
  const some = createChat('t1');
  await chooseProject(some.chat, 'nothing');
  expect(some.said).toEqual(['The project "nothing" does not exist. Your projects: Move to Oslo, Taxes.']);
  const none = createChat('t1', []);
  await chooseProject(none.chat, '');
  expect(none.said[0]).toContain('reborn project create');
  expect([...some.moved, ...none.moved]).toEqual([]);
});
