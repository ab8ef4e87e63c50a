import { parseAst } from 'vitest/node';
import type { SourceFile } from './architecture.ts';

/** The files that may let time pass, in how many places, and why. They never wait for something to be done by then. */
const ALLOWED: Record<string, readonly [places: number, why: string]> = {
  'test/support/wait-for.ts': [1, 'the pause between two looks at a condition'],
  'test/support/random-moment.ts': [1, 'a fault at a random moment'],
  'test/support/scripted-model.ts': [2, 'a model that takes its time'],
  'test/support/push-service.ts': [1, 'a push service that answers late'],
  'test/support/telegram/bot-api.ts': [1, 'the end of a long poll'],
  'test/support/slack/sockets.ts': [1, 'a connection that is closed some time after the notice'],
  'test/support/mcp-modern-server.ts': [1, 'a server that takes its time'],
  'test/faults/tcp-proxy.ts': [1, 'a slow network'],
  'test/faults/replica.ts': [1, 'a tool that takes its time'],
  'test/faults/tools.test.ts': [1, 'a host that takes its time'],
  'test/attacks/neighbours.test.ts': [1, 'a host that takes its time'],
  'src/tools/component/http/tool-http-leaks.test.ts': [1, 'a host that takes its time'],
  'src/http/server/hostile-connections.test.ts': [1, 'a caller who sends slowly'],
  'src/auth/tokens/look-up-together.test.ts': [1, 'callers who come one after another'],
  'test/faults/streamed.ts': [1, 'a client that tries again'],
  'test/journeys/mcp/mcp-sign-in.test.ts': [2, 'a client that tries again, and the pace of the load'],
  'test/faults/jobs.test.ts': [1, 'the pace of the load'],
  'test/faults/flood.ts': [1, 'the pace of the load'],
  'test/journeys/gates/hostile-texts.test.ts': [1, 'the pace of the load'],
  'test/faults/harms.ts': [3, 'how long a fault lasts'],
  'test/faults/database.test.ts': [1, 'how long a fault lasts'],
  'test/faults/mail.test.ts': [1, 'how long a fault lasts'],
  'src/safety/worker-threads/worker-pool.test.ts': [1, 'how long a fault lasts'],
  'test/faults/kills/phases.ts': [3, 'faults at random moments, and the pause between two looks at processes'],
  'test/chaos/faults.ts': [9, 'how long a fault lasts'],
  'test/chaos/gates.ts': [1, 'a person who looks at the list of gates again'],
  'test/chaos/run-chaos.ts': [4, 'faults at planned times'],
  'test/faults/missions.test.ts': [3, 'the long form follows the clock, minute after minute'],
  'test/faults/bad-tokens.test.ts': [3, 'the windows of a measurement'],
  'test/faults/heavy-thread.test.ts': [1, 'the windows of a measurement'],
  'test/faults/frozen-line.test.ts': [1, 'the windows of a measurement'],
  'test/journeys/replicas/idle.test.ts': [1, 'the windows of a measurement'],
};

const TIMERS = /timers\/promises|\bsetTimeout\b|\bwaitForTimeout\b|\bAtomics\.wait\b/;

/** Every file whose places differ from the list, as sentences. A test waits for a condition, with `waitFor` or `expect.poll`. */
export function findFixedSleeps(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const places = TIMERS.test(text) ? countSleeps(text) : 0;
    const [allowed] = ALLOWED[path] ?? [0];
    return places === allowed ? [] : [`${path} lets time pass in ${places} places instead of ${allowed}`];
  });
}

type Node = { type: string; [field: string]: unknown };

function countSleeps(text: string): number {
  // oxlint-disable-next-line typescript/no-deprecated -- the one parser at hand: TypeScript 7 has no API, and vitest passes on no other
  const nodes = [...walk(parseAst(text, { lang: 'ts' }))];
  const names = new Set(['setTimeout', ...nodes.flatMap(importedTimers)]);
  return nodes.filter(({ type, callee }) => type === 'CallExpression' && isSleep(callee as Node, names)).length;
}

/** The names that a file gives to the functions of `node:timers/promises`. */
function importedTimers({ type, source, specifiers }: Node): string[] {
  if (type !== 'ImportDeclaration' || (source as { value: string }).value !== 'node:timers/promises') return [];
  const all = specifiers as { imported?: { name: string }; local: { name: string } }[];
  return all.filter(({ imported }) => imported?.name !== 'setImmediate').map(({ local }) => local.name);
}

function isSleep(callee: Node, names: ReadonlySet<string>): boolean {
  if (callee.type === 'Identifier') return names.has(String(callee['name']));
  if (callee.type !== 'MemberExpression') return false;
  const [object, property] = [callee['object'], callee['property']].map((part) => (part as { name?: string }).name);
  return property === 'waitForTimeout' || names.has(object ?? '') || (object === 'Atomics' && property === 'wait');
}

function* walk(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const child of Object.values(value)) yield* walk(child);
}
