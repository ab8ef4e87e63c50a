import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelRoute } from '../model-route.ts';
import { createPlainAnswer } from './plain-answer.ts';
import { type PartListener, type ReadParts, readLanguage } from './read-parts.ts';

/** How long `fetch` waits for a server that sends nothing. */
const SILENCE_MS = 300_000;

/**
 * Streamed chat completions. The AI SDK's adapter builds the request and reads refusals. Plain text chunks, which are
 * nearly all, are read here, because the adapter takes ten times as long. The adapter takes over at the first chunk of
 * another kind, such as a tool call.
 */
export function readCompatible({ name, apiKey = '', baseUrl = '' }: ModelRoute): ReadParts {
  const modelWith = (fetch: typeof globalThis.fetch) =>
    createOpenAICompatible({
      name: 'compatible',
      apiKey,
      baseURL: baseUrl,
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch,
    }).chatModel(name);
  const asking = modelWith(askOrThrowAnswer);

  return async (options, listener) => {
    const answer = await findAnswer(() => asking.doStream(options));
    listener.onAccepted();
    await readAnswer(answer, listener, (rest) =>
      readLanguage(modelWith(async () => new Response(rest)))(options, { ...listener, onAccepted() {} }),
    );
  };
}

/** Carries an accepted answer out of the adapter, which would otherwise read it. */
class AnswerStarted extends Error {
  override readonly name = 'AnswerStarted';
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    super('The model has started to answer.');
    this.answer = answer;
  }

  /** No one reads its stack, which would cost more than the rest of it. */
  static withoutStack(answer: IncomingMessage): AnswerStarted {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return new AnswerStarted(answer);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

async function findAnswer(ask: () => PromiseLike<unknown>): Promise<IncomingMessage> {
  try {
    await ask();
  } catch (error) {
    if (error instanceof AnswerStarted) return error.answer;
    throw error;
  }
  throw new Error('The adapter read the answer itself.');
}

/** The `fetch` given to the adapter: it returns refusals to the adapter and throws answers. */
async function askOrThrowAnswer(...[url, init]: Parameters<typeof globalThis.fetch>): Promise<Response> {
  if (typeof url !== 'string' || typeof init?.body !== 'string')
    throw new Error('The adapter made an unexpected request.');
  const headersSent = init.headers as Readonly<Record<string, string>>;
  const response = await post({ url, headers: headersSent, body: init.body, signal: init.signal });
  const { statusCode: status = 0, statusMessage: statusText = '', headersDistinct } = response;
  if (status >= 200 && status < 300) throw AnswerStarted.withoutStack(response);
  const headers = Object.entries(headersDistinct).flatMap(([key, values = []]) =>
    values.map((value): [string, string] => [key, value]),
  );
  return new Response(await readText(response), { status, statusText, headers });
}

type Post = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | null | undefined;
};

function post({ url, headers, body, signal }: Post, isAgain = false): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const ask = url.startsWith('https:') ? httpsRequest : httpRequest;
  const length = { 'content-length': Buffer.byteLength(body) };
  const request = ask(url, { method: 'POST', headers: { ...headers, ...length } });
  request.on('response', resolve);
  request.on('error', (error) => {
    if (isStale(request, error) && !isAgain && !signal?.aborted) resolve(post({ url, headers, body, signal }, true));
    else reject(new TypeError('fetch failed', { cause: error })); // the same error as from `fetch`, which the adapter expects
  });
  request.setTimeout(SILENCE_MS, () => request.destroy(new Error('The model sent nothing for five minutes.')));
  signal?.addEventListener('abort', () => request.destroy(), { once: true });
  request.end(body);
  return promise;
}

/** The server has closed a kept-alive connection and has not seen the request. */
const isStale = (request: ClientRequest, error: Error) =>
  request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';

/** Resolves when the answer is complete. `takeOver` reads the rest of an answer that is not plain text. */
function readAnswer(
  answer: IncomingMessage,
  { onPart }: PartListener,
  takeOver: (rest: ReadableStream<Uint8Array>) => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const plain = createPlainAnswer(onPart);
  let rest: ReadableStreamDefaultController<Uint8Array> | undefined;

  const pass = (data: string) => rest?.enqueue(Buffer.from(`data: ${data}\n\n`));
  const read = createEventReader((data) => {
    if (rest) return pass(data);
    if (plain.read(data)) return;
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (rest = controller) });
    pass(plain.pending());
    pass(data);
    takeOver(stream).then(resolve, reject);
  });

  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    try {
      read(chunk);
    } catch (error) {
      reject(error);
      answer.destroy();
    }
  });
  answer.on('end', () => {
    if (rest) return rest.close();
    plain.end();
    resolve();
  });
  const fail = (error: Error) => {
    rest?.error(error);
    reject(error);
  };
  answer.on('error', fail);
  answer.on('close', () => {
    if (!answer.readableEnded) fail(new Error('The answer broke off.'));
  });
  return promise;
}

/** Extracts the data of server-sent events from text that arrives in pieces. Names, IDs and comments are skipped. */
function createEventReader(onData: (data: string) => void): (piece: string) => void {
  let unread = '';
  let data: string | undefined;
  let isFirst = true;

  function readLine(line: string): void {
    if (line === '') {
      if (data !== undefined) onData(data);
      data = undefined;
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  return (piece) => {
    const text = isFirst && piece.startsWith('\uFEFF') ? piece.slice(1) : unread + piece;
    isFirst = false;
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      readLine(text.slice(begin, text[end - 1] === '\r' && end > begin ? end - 1 : end));
      begin = end + 1;
    }
    unread = text.slice(begin);
  };
}
