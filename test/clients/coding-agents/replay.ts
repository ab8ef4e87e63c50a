import { readFile } from 'node:fs/promises';
import { readStream } from '../../support/read-stream.ts';
import type { Target } from '../features.ts';
import type { Program } from './programs.ts';

/** A recorded conversation: the tools of a program, and a history with calls of them. */
type Recording = { readonly version: string; readonly body: Readonly<Record<string, unknown>> };

type Call = { readonly id: string; readonly name: string; readonly arguments: string };
type Reply = { readonly calls: readonly Call[]; readonly text: string };

type Entry = {
  readonly type?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly tool_calls?: readonly WireCall[];
};
type WireCall = { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } };

/**
 * Sends the requests of a recorded conversation again: up to each call, which the service must make, and then the whole. The ids of
 * the calls are those that the service gives now. Returns the recorded calls, those that came, and the answer.
 */
export async function replay(program: Program, target: Target) {
  const { version, body } = await readRecording(program);
  const list = program.route === 'responses' ? 'input' : 'messages';
  const history = body[list] as readonly Entry[];
  const ids = new Map<string, string>();
  const send = async (until: number): Promise<Reply> => {
    let entries = JSON.stringify(history.slice(0, until));
    for (const [recorded, now] of ids) entries = entries.replaceAll(`"${recorded}"`, `"${now}"`);
    return post(program, target, { ...body, [list]: JSON.parse(entries) as unknown });
  };

  const recorded: string[] = [];
  const made: string[] = [];
  for (const [index, entry] of history.entries()) {
    const [call] = callsOf(entry);
    if (!call) continue;
    const [now] = (await send(index)).calls;
    recorded.push(describe(call));
    made.push(now ? describe(now) : 'no call');
    ids.set(call.id, now?.id ?? call.id);
  }
  const { text } = await send(history.length);
  return { version, recorded, made, text };
}

async function readRecording(program: Program): Promise<Recording> {
  const file = new URL(`${program.package.replace(/.*\//, '')}.json`, import.meta.url);
  return JSON.parse(await readFile(file, 'utf8')) as Recording;
}

function callsOf({ type, call_id: id = '', name = '', arguments: json = '', tool_calls: calls = [] }: Entry): Call[] {
  return type === 'function_call'
    ? [{ id, name, arguments: json }]
    : calls.map((call) => ({ id: call.id, ...call.function }));
}

const describe = ({ name, arguments: json }: Call) => `${name} ${JSON.stringify(JSON.parse(json))}`;

async function post(program: Program, { baseURL, apiKey }: Target, body: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${baseURL}/${program.route}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return program.route === 'responses' ? readResponse(answer) : readCompletion(await answer.text());
}

async function readResponse(answer: Response): Promise<Reply> {
  const events = await Array.fromAsync(readStream(answer));
  const output = (events.at(-1)?.response?.output ?? []) as Entry[];
  const deltas = events.flatMap(({ type, delta = '' }) => (type === 'response.output_text.delta' ? delta : []));
  return { calls: output.flatMap(callsOf), text: deltas.join('') };
}

type Chunk = {
  readonly choices?: readonly { readonly delta: { content?: string; tool_calls?: readonly WireCall[] } }[];
};

function readCompletion(stream: string): Reply {
  const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Chunk);
  const deltas = chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta));
  return { calls: deltas.flatMap(callsOf), text: deltas.map(({ content = '' }) => content).join('') };
}
