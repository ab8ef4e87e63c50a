import type { Client } from '@reborn-agent/client';
import type { Project } from '@reborn-agent/client/api';
import { oneLine } from '../screen/printable.ts';
import type { Screen } from '../screen/screen.ts';
import type { ThreadView } from '../thread-view.ts';

type Chat = {
  readonly client: Client;
  readonly screen: Pick<Screen, 'pick'>;
  readonly thread: Pick<ThreadView, 'note' | 'now' | 'begin'>;
};

const NONE = '';
const OFF = ['off', 'none'];

/** `/project`: moves the thread into a project, or out of its project. A thread without messages begins there. */
export async function chooseProject(chat: Chat, given: string): Promise<void> {
  const { projects } = await chat.client.call('GET /api/projects');
  if (projects.length === 0)
    return chat.thread.note('There are no projects yet. `reborn project create` makes one, or the browser does.');
  const id = given === '' ? await pick(chat, projects) : find(projects, given);
  if (id === undefined && given !== '') {
    const names = projects.map(({ name }) => oneLine(name)).join(', ');
    return chat.thread.note(`The project "${oneLine(given)}" does not exist. Your projects: ${names}.`);
  }
  if (id !== undefined)
    await move(
      chat,
      projects.find((project) => project.id === id),
    );
}

/** The id of a project by its name, in any case; NONE to leave it. */
function find(projects: readonly Project[], given: string): string | undefined {
  const name = given.toLowerCase();
  const found = projects.find((project) => project.name.toLowerCase() === name)?.id;
  return found ?? (OFF.includes(name) ? NONE : undefined);
}

async function move({ client, thread }: Chat, project: Project | undefined): Promise<void> {
  const { threadId } = thread.now();
  if (threadId !== undefined)
    await client.call('PATCH /api/threads/{id}', {
      params: { id: threadId },
      body: { project_id: project?.id ?? null },
    });
  else thread.begin(project && { project: project.id });
  const what = threadId === undefined ? 'The next message begins a thread' : 'This thread is';
  thread.note(project ? `${what} in the project ${oneLine(project.name)}.` : `${what} in no project.`);
}

function pick({ screen }: Chat, projects: readonly Project[]): Promise<string | undefined> {
  const choices = projects.map(({ id, name, role, owner }) => ({
    value: id,
    label: oneLine(name),
    description: role === 'owner' ? '' : `shared by ${oneLine(owner.name ?? 'another person')}`,
  }));
  const none = { value: NONE, label: 'no project', description: '' };
  return screen.pick('Choose a project (Enter chooses, Esc goes back)', [none, ...choices]);
}
