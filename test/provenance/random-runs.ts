import { createLog } from '#app/log.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import { createRandom } from '../chaos/random.ts';
import { type Cluster, startCluster } from '../faults/cluster.ts';
import { QUICK_LEASE } from '../support/quick-times.ts';
import { clientOf, SETTINGS } from '../support/service.ts';
import { startStandIn } from '../support/stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { ATTACKS, type Attack, attack, effectsOf, titleOf } from './attack.ts';
import { createPeople, type Person } from './people.ts';
import type { Act } from './personal-tools.ts';
import { decideFor } from './world.ts';

type RandomReport = {
  readonly cases: number;
  readonly kills: number;
  /** Questions that stopped a hostile call. */
  readonly questions: number;
  readonly breaches: readonly string[];
};

type Options = {
  readonly seed: number;
  /** Attacks in all; a conversation has up to four of them. */
  readonly cases: number;
  readonly kills: number;
  readonly onProgress?: (cases: number, kills: number) => void;
};

/** How many people talk at the same time. */
const AT_ONCE = 8;

/** Random attacks, several in one conversation, while the replicas that run them are killed between two steps. */
export async function runRandomly({ seed, cases, kills, onProgress }: Options): Promise<RandomReport> {
  await using undo = new AsyncDisposableStack();
  const random = createRandom(seed);
  const setting = await startKillable(undo);
  const breaches: string[] = [];
  let [begun, ended, killed, questions] = [0, 0, 0, 0];

  setting.model.hooks.onPrompt = ({ by }) => {
    if (killed >= kills || ended < ((killed + 0.5) * cases) / kills) return;
    killed++;
    setting.kill(by);
  };
  const [first, ...rest] = ATTACKS;
  if (!first) throw new Error('The list of attacks is empty.');

  async function converse(): Promise<void> {
    const person = await setting.add();
    const attacks = Array.from({ length: Math.min(Math.ceil(random.between(0, 4)), cases - begun) }, () =>
      random.pick([first as Attack, ...rest]),
    );
    if (attacks.length === 0) return; // others have taken the last ones meanwhile
    begun += attacks.length;
    const asked = await suffer(person, attacks);
    questions += asked;
    for (const effect of await effectsOf(person, 3 * attacks.length))
      breaches.push(`${attacks.map(titleOf).join('; ')}: ${effect}`);
    ended += attacks.length;
    onProgress?.(ended, killed);
  }

  const talk = async () => {
    while (begun < cases) await converse();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, talk));
  return { cases: ended, kills: killed, questions, breaches };
}

/** Attacks a person, who denies everything, in one conversation. Returns how often they were asked about a hostile call. */
async function suffer(person: Person, attacks: readonly Attack[]): Promise<number> {
  let questions = 0;
  let previous: string | undefined;
  for (const each of attacks) {
    person.shown.unread = '';
    person.continues = previous;
    const { response, hostile } = await attack(person, each);
    const gates = await person.gates();
    if (gates.some(({ call }) => call.name === hostile?.name && call.arguments === hostile.arguments)) questions++;
    await denyAll(person);
    previous = response.id;
  }
  return questions;
}

/** Denies until the model gives up. */
async function denyAll(person: Person): Promise<void> {
  await waitFor('the end of the conversation', async () => {
    for (const { id } of await person.gates()) await person.answer(id, { answer: 'deny' });
    const { threads } = await person.json<{ threads: { status: string }[] }>('/api/threads?limit=10');
    return threads.every(({ status }) => status === 'idle');
  });
}

/** Two replicas that may be killed, and one in this process that only accepts messages. */
export async function startKillable(undo: AsyncDisposableStack) {
  const people = createPeople();
  const standIn = await startStandIn(async ({ method, url, body }) => {
    if (method === 'POST') return { json: await people.act(JSON.parse(body) as Act) };
    return { headers: { 'content-type': 'text/html' }, text: people.visited(url) };
  });
  undo.defer(() => standIn.close());
  const env = { STAND_IN_PORT: String(standIn.port), PERSONAL_TOOLS: 'yes' };
  const cluster = await startCluster({ env, script: { decide: decideFor(people.all) }, times: QUICK_LEASE });
  undo.defer(() => cluster.close());
  const app = await startApp(
    readConfig({
      ...SETTINGS,
      ...cluster.env,
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      LLM_BASE_URL: cluster.model.url,
    }),
    createLog('silent'),
    { turns: 0, engineTimes: QUICK_LEASE },
  );
  undo.defer(() => app.close());
  await cluster.pair();
  const replaced: Promise<unknown>[] = [];
  undo.defer(() => Promise.all(replaced).then(() => {})); // a replica that still starts needs the database
  const service = clientOf(app.gatewayUrl ?? '');
  return {
    model: cluster.model,
    add: () => people.add(service),
    kill: (name: string) => void replaced.push(replaceOne(cluster, name)),
  };
}

async function replaceOne(cluster: Cluster, name: string): Promise<void> {
  const replica = [...cluster.replicas].find((each) => each.name === name);
  if (!replica) throw new Error(`The replica ${name} does not exist.`);
  await Promise.all([replica.kill(), cluster.start()]);
}
