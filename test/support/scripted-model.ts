import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One message of a prompt as it came over the wire, its content flattened to text. */
export type SeenMessage = { readonly role: string; readonly text: string };

export type SeenPrompt = {
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly string[];
  readonly temperature: number | undefined;
  /** The requested form of the answer. */
  readonly format: unknown;
  /** What else the request says about the answer. */
  readonly limits: { readonly stop: unknown; readonly max_tokens: number | undefined; readonly seed: unknown };
  readonly toolChoice: unknown;
  /** The first part of the request's path, which identifies the replica. */
  readonly by: string;
  /** The size of the request's messages in bytes. */
  readonly bytes: number;
  /** The time of the request in milliseconds. */
  readonly at: number;
  /** The header of the request. */
  readonly traceparent: string | undefined;
  /** How many earlier prompts had the same last message. */
  readonly repeats: number;
};

export type Answer = {
  /** What it thinks before it answers. */
  readonly reasoning?: string;
  readonly pieces?: readonly string[];
  readonly calls?: readonly { name: string; arguments: string }[];
  /** Milliseconds between two pieces. */
  readonly pace?: number;
  /** Compensates for late pieces, so that the average pace holds. */
  readonly steady?: true;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cut?: boolean;
  readonly hang?: boolean;
  readonly finish?: 'length';
  /** The error message, besides the status. */
  readonly message?: string;
};

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/**
 * A model on loopback that speaks chat completions, streamed or not, and does what the newest user message says:
 * `think WORDS`, `say WORDS`, `use TOOL JSON` (once a line), `count N every MS`, `recite` (all it was given), `break STATUS`,
 * `fail N times with STATUS` (and then ignored), `cut`, `hang`, `overflow`. After tool results it says `result: ` and the last
 * result. Asked for a summary, it says the lines that start with `fact:`. It refuses prompts with more bytes than
 * `options.window`.
 */
export async function startScriptedModel(options: { window?: number; decide?: (prompt: SeenPrompt) => Answer } = {}) {
  const seen: SeenPrompt[] = [];
  const repeats = new Map<string | undefined, number>();
  const hooks: { onPrompt?: (prompt: SeenPrompt) => void } = {};
  let calls = 0;

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readJson(request)) as WireRequest;
    const read = toPrompt(body, request);
    const last = read.messages.at(-1)?.text;
    const prompt = { ...read, repeats: repeats.get(last) ?? 0 };
    repeats.set(last, prompt.repeats + 1);
    seen.push(prompt);
    hooks.onPrompt?.(prompt);
    const decided = prompt.bytes > (options.window ?? Infinity) ? TOO_LONG : (options.decide ?? followScript)(prompt);
    const answer = shorten(decided, prompt.limits.max_tokens ?? Infinity);
    if (answer.hang) return;
    if (answer.status) {
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify({ error: { message: answer.message ?? `scripted ${answer.status}` } }));
      return;
    }
    const nextCallId = () => `call_${++calls}`;
    if (body.stream) await stream(response, answer, nextCallId);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(wholeOf(answer, nextCallId)));
  }

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** The address of the same model for the replica `name`. */
    urlFor: (name: string) => `http://127.0.0.1:${port}/${name}/v1`,
    seen,
    /** Called before each answer, to cause a fault at a known moment. */
    hooks,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A piece counts as a token. */
const shorten = (answer: Answer, tokens: number): Answer =>
  (answer.pieces?.length ?? 0) > tokens
    ? { ...answer, pieces: answer.pieces?.slice(0, tokens) ?? [], calls: [], finish: 'length' }
    : answer;

const TOO_LONG: Answer = { status: 400, message: 'The prompt exceeds the available context size.' };

export const isSummaryPrompt = ({ messages }: SeenPrompt): boolean =>
  messages[0]?.role === 'system' && messages[0].text.startsWith('You write the summary');

function summarise(messages: readonly SeenMessage[]): Answer {
  const prompt = messages.map(({ text }) => text).join('\n');
  return { pieces: [['in short', ...new Set(prompt.match(/^fact:.*$/gm))].join('\n')] };
}

/** The default behaviour. */
export function followScript(prompt: SeenPrompt): Answer {
  const { messages } = prompt;
  if (isSummaryPrompt(prompt)) return summarise(messages);
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const results = messages.slice(asked + 1).filter((message) => message.role === 'tool');
  if (results.length > 0) return { pieces: [`result: ${unwrap(results.at(-1)?.text ?? '')}`] };

  const script = messages[asked]?.text ?? '';
  const count = /count (\d+) every (\d+)/.exec(script);
  if (count) return { pieces: Array.from({ length: Number(count[1]) }, (_, i) => `${i} `), pace: Number(count[2]) };
  const failing = /fail (\d+) times with (\d+)/.exec(script);
  if (failing && prompt.repeats < Number(failing[1])) return { status: Number(failing[2]) };
  const broken = /break (\d+)/.exec(script);
  if (broken) return { status: Number(broken[1]) };
  if (/\bhang\b/.test(script)) return { hang: true };
  if (/\bcut\b/.test(script)) return { pieces: ['half ', 'a '], cut: true };
  if (/\boverflow\b/.test(script)) return { pieces: ['too long'], finish: 'length' };
  if (/\brecite\b/.test(script)) return { pieces: [JSON.stringify(messages)] };
  const uses = [...script.matchAll(/^use (\S+) (.+)$/gm)].map(([, name = '', json = '']) => ({
    name,
    arguments: json,
  }));
  const said = /^say (.+)$/m.exec(script)?.[1];
  const reasoning = /^think (.+)$/m.exec(script)?.[1];
  return {
    ...(reasoning && { reasoning }),
    pieces: said ? said.split(/(?<= )/) : uses.length > 0 ? [] : ['ok'],
    calls: uses,
  };
}

/** Removes the wrapper around a tool's output, as a model would. */
function unwrap(text: string): string {
  return text.replace(/<untrusted-data source="[^"]*">\n?|\n?<\/untrusted-data>/g, '');
}

const HEAD = { id: 'x', created: 0, model: 'scripted' };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const finishOf = ({ finish, calls = [] }: Answer) => finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
const renderCall = (call: { name: string; arguments: string }, id: string) => ({
  id,
  type: 'function',
  function: call,
});

function wholeOf(answer: Answer, nextCallId: () => string): object {
  const { pieces = [], calls = [] } = answer;
  const tool_calls = calls.map((call) => renderCall(call, nextCallId()));
  const message = { role: 'assistant', content: pieces.join(''), ...(tool_calls.length > 0 && { tool_calls }) };
  const choices = [{ index: 0, message, finish_reason: finishOf(answer) }];
  return { ...HEAD, object: 'chat.completion', choices, usage: USAGE };
}

async function stream(response: ServerResponse, answer: Answer, nextCallId: () => string): Promise<void> {
  const send = (data: object) =>
    response.write(`data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...data })}\n\n`);
  const chunk = (delta: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finish }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (answer.reasoning) chunk({ reasoning_content: answer.reasoning });
  let due = performance.now();
  for (const [index, piece] of (answer.pieces ?? []).entries()) {
    if (response.destroyed) return;
    chunk({ ...(index === 0 && { role: 'assistant' }), content: piece });
    due += answer.pace ?? 0;
    if (answer.pace) await sleep(answer.steady ? Math.max(0, due - performance.now()) : answer.pace);
  }
  if (answer.cut) {
    await sleep(20); // the pieces must be sent before the connection is cut
    response.destroy();
    return;
  }
  answer.calls?.forEach((call, index) => chunk({ tool_calls: [{ index, ...renderCall(call, nextCallId()) }] }));
  chunk({}, finishOf(answer));
  send({ choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

type WireRequest = {
  messages: { role: string; content?: string | { text?: string }[] | null }[];
  tools?: { function: { name: string } }[];
  temperature?: number;
  response_format?: unknown;
  stop?: unknown;
  max_tokens?: number;
  seed?: unknown;
  tool_choice?: unknown;
  stream?: boolean;
};

function toPrompt(body: WireRequest, { url = '', headers }: IncomingMessage): Omit<SeenPrompt, 'repeats'> {
  const flatten = (content: WireRequest['messages'][number]['content']) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  return {
    messages: body.messages.map(({ role, content }) => ({ role, text: flatten(content) })),
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    temperature: body.temperature,
    format: body.response_format,
    limits: { stop: body.stop, max_tokens: body.max_tokens, seed: body.seed },
    toolChoice: body.tool_choice,
    bytes: Buffer.byteLength(JSON.stringify(body.messages)),
    by: url.split('/')[1] ?? '',
    at: performance.now(),
    traceparent: headers['traceparent'] as string | undefined,
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}
