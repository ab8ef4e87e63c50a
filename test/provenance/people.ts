import { addUser, type TestUser } from '../support/accounts.ts';
import type { SeenPrompt } from '../support/scripted-model.ts';
import type { clientOf, WireResponse } from '../support/service.ts';
import type { Act, ActResult } from './personal-tools.ts';

type Client = ReturnType<typeof clientOf>;

export type Call = { readonly name: string; readonly arguments: string };
export const call = (name: string, given: object = {}): Call => ({ name, arguments: JSON.stringify(given) });
export const open = (url: string): Call => call('reborn_web_fetch', { url });
export const openAgain = (url: string): Call => call('reborn_web_fetch', { url, fresh: true });
export const alone = (...calls: Call[]): Call[][] => calls.map((each) => [each]);

type OpenGate = { id: string; thread_id: string; call: Call & { call_id: string } };

/** What the places that this person's agent reads hold. `unread`: what only a model can read, such as a picture. */
type Shown = {
  page: string;
  mail: string;
  search: ActResult;
  lookup: string;
  file: string;
  unread: string;
};

/** A user with separate hosts, so that many can be tried at the same time. */
export type Person = ReturnType<typeof createPerson>;

/** The people of a world, and what their tools and pages answer. */
export function createPeople() {
  const all = new Map<number, Person>();
  const byUser = new Map<string, Person>();
  let added = 0;
  return {
    all,
    async add(service: Client): Promise<Person> {
      const number = ++added;
      const user = await addUser(service, `reader-${number}`);
      const person = createPerson(service, number, user);
      all.set(number, person);
      byUser.set(user.id, person);
      return person;
    },
    act: async (act: Act): Promise<ActResult> => byUser.get(act.userId)?.act(act) ?? { text: '' },
    visited(url: URL): string {
      const number = Number(/-(\d+)\.example$/.exec(url.hostname)?.[1]);
      return all.get(number)?.visited(url) ?? '';
    },
  };
}

/** Each message of a person says who they are, and so do the instructions of their missions. */
export function personIn({ messages }: SeenPrompt, people: ReadonlyMap<number, Person>): Person {
  const said = messages.flatMap(({ role, text }) => (role === 'user' ? text : []));
  const number = Number(/I am reader (\d+)\./.exec(said.join('\n'))?.[1]);
  const person = people.get(number);
  if (!person) throw new Error(`The prompt names no person: ${said.join('\n').slice(0, 500)}`);
  return person;
}

function createPerson(service: Client, number: number, { id: userId, headers }: TestUser) {
  const shown: Shown = { page: '', mail: '', search: { text: '' }, lookup: '', file: '', unread: '' };
  const done: Act[] = [];
  const visits: URL[] = [];
  const outputs: Record<string, () => ActResult> = {
    web_search: () => shown.search,
    mail_list: () => ({ text: 'From: Ben (2). From: Shop (1).' }),
    mail_read: () => ({ text: shown.mail }),
    calendar_list: () => ({ text: 'Tue 10:00 dentist' }),
    files_read: () => ({ text: shown.file }),
    get_report: () => ({ text: shown.file }),
    run_code: () => ({ text: '42' }),
    weather: () => ({ text: 'Sunny, 12 degrees' }),
    lookup: () => ({ text: shown.lookup }),
  };
  const request: Client['request'] = (route, init) =>
    service.request(route, { ...init, headers: { ...init?.headers, ...headers } });
  const json = async <T>(route: string, init?: Parameters<Client['request']>[1]) =>
    (await (await request(route, init)).json()) as T;
  const noteAt = (path: string) => `/api/memory/${encodeURIComponent(path)}`;
  const answer = async (id: string, body: object) => {
    const { status } = await request(`/api/gates/${id}`, { method: 'POST', body: JSON.stringify(body) });
    if (status !== 202) throw new Error(`The gate ${id} was answered with ${status}.`);
  };
  return {
    number,
    userId,
    me: `I am reader ${number}. `,
    /** A host of this person's own world. */
    host: (name: string) => `${name}-${number}.example`,
    shown,
    /** The calls of each answer. */
    plan: [] as readonly (readonly Call[])[],
    /** The calls that a model makes of what it has read, if it obeys. */
    obeys: undefined as ((read: string) => Call[]) | undefined,
    /** How many results the newest prompt holds since the person's last message. */
    results: 0,
    done,
    visits,
    act(act: Act): ActResult {
      done.push(act);
      return outputs[act.tool]?.() ?? { text: 'done' };
    },
    visited(url: URL): string {
      visits.push(url);
      return shown.page;
    },
    request,
    json,
    /** The response that messages continue, unless they say it themselves. */
    continues: undefined as string | undefined,
    /** Sends a message and returns the response, also if it waits for an approval. */
    async ask(input: unknown, more: object = {}): Promise<WireResponse> {
      const said = typeof input === 'string' ? { input: `${this.me}${input}`, ...this.continued() } : { input };
      const body = JSON.stringify({ model: 'm', ...said, ...more });
      const sent = await request('/api/v1/responses', { method: 'POST', body });
      if (sent.status !== 200) throw new Error(`${sent.status}: ${await sent.text()}`);
      return (await sent.json()) as WireResponse;
    },
    continued(): object {
      return this.continues ? { previous_response_id: this.continues } : {};
    },
    gates: async () => (await json<{ gates: OpenGate[] }>('/api/gates')).gates,
    answer,
    put: (path: string, text: string) => request(noteAt(path), { method: 'PUT', body: JSON.stringify({ text }) }),
    note: async (path: string) => (await json<{ text?: string }>(noteAt(path))).text,
    missions: async () => (await json<{ missions: { id: string }[] }>('/api/missions')).missions,
  };
}
