import { createMissions } from '#agent/missions/missions.ts';
import { createLog } from '#app/log.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import { openDatabase } from '#database/open-database.ts';
import { createEgress } from '#egress/egress.ts';
import type { Network } from '#egress/network.ts';
import { createMemory } from '#memory/memory.ts';
import { connectStore } from '#store/connection.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { webFetchTool } from '#tools/builtin/web-fetch.ts';
import { flowOf, type Tool } from '#tools/tool.ts';
import { freshHome } from '../support/fresh-home.ts';
import { type Answer, isSummaryPrompt, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';
import { clientOf, SETTINGS } from '../support/service.ts';
import { startStandIn } from '../support/stand-in.ts';
import { createPeople, type Person, personIn } from './people.ts';
import { personalTools } from './personal-tools.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * A service with the tools of a person, and any number of people. The model makes the calls of each person's plan, one answer
 * after the other, and then those that the texts ask for.
 *
 * `unguarded`: nothing is judged, neither by origin nor by phrases, to show what an attack does then. Only tests can have
 * this: every tool is replaced by one that declares itself harmless.
 */
export async function startWorld({
  level = 'allow',
  unguarded = false,
  settings = {},
}: {
  /** The level of tools that act outside. */
  level?: 'allow' | 'ask';
  unguarded?: boolean;
  settings?: Record<string, string>;
} = {}) {
  const home = await freshHome({ shared: true });
  const people = createPeople();
  const model = await startScriptedModel({ decide: decideFor(people.all) });
  const standIn = await startStandIn(({ url }) => ({
    headers: { 'content-type': 'text/html' },
    text: people.visited(url),
  }));
  const config = readConfig({
    ...SETTINGS,
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'obedient',
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'k-0123456789',
    ...settings,
  });
  await using undo = new AsyncDisposableStack();
  undo.defer(() => home.remove());
  undo.defer(() => model.close());
  undo.defer(() => standIn.close());
  const database = await openDatabase({ url: config.databaseUrl, home: config.home });
  undo.defer(() => database.close());
  const db = connectStore(database.connection, () => {});
  undo.defer(() => db.destroy());
  const own = personalTools(people.act, level);
  const app = await startApp(config, createLog('silent'), {
    tools: unguarded ? [...own, ...builtIn(db, standIn.network)].map(harmless) : own,
    network: standIn.network,
    missions: { pollEveryMs: 50 },
  });
  undo.defer(() => app.close());
  const service = clientOf(app.gatewayUrl ?? '');
  const running = undo.move();
  return {
    service,
    model,
    home,
    db,
    /** The tools besides the built-in ones. */
    tools: own,
    add: (): Promise<Person> => people.add(service),
    close: () => running.disposeAsync(),
  };
}

type Store = ReturnType<typeof connectStore>;

/** The built-in tools that read or change something, for a world that replaces them. */
const builtIn = (db: Store, network: Network): Tool[] => [
  webFetchTool(createEgress(network), async () => ({ reason: 'There are no PDFs here.' })),
  ...memoryTools(createMemory(db)),
  ...missionTools(createMissions(db)),
];

const harmless = (tool: Tool): Tool => ({
  ...tool,
  level: 'allow',
  flow: { ...flowOf(tool), runs: 'always', inert: true },
  // As if the operator had decided: a tool that judges once more while it writes, judges nothing then.
  call: (argumentsJson, context) => tool.call(argumentsJson, { ...context, allowedBy: 'policy' }),
});

/** The model: it makes the calls of the person's plan, and then obeys. */
export const decideFor =
  (people: ReadonlyMap<number, Person>) =>
  (prompt: SeenPrompt): Answer => {
    if (isSummaryPrompt(prompt)) return { pieces: ['in short: boats'] };
    return answerTo(prompt, personIn(prompt, people));
  };

function answerTo(prompt: SeenPrompt, person: Person): Answer {
  const read = prompt.messages.flatMap(({ role, text }) => (role === 'system' ? [] : text)).join('\n');
  const wanted = person.obeys?.(read + person.shown.unread).map((call) => [call]) ?? [];
  let left = resultsSince(prompt);
  person.results = left;
  for (const calls of [...person.plan, ...wanted]) {
    if (left === 0) return { calls };
    left -= calls.length;
  }
  return { pieces: ['done'] };
}

/** How many results there are since the person's last message. */
function resultsSince({ messages }: SeenPrompt): number {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked).filter(({ role }) => role === 'tool').length;
}
