import { Agent, type IncomingMessage, request } from 'node:http';
import type { Running, Turn } from './peer.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

export type Answer = { readonly text: string; readonly milliseconds: number; readonly firstWord: number };

/** Sends one turn and reads the answer, which must have the words `first` and `last`. */
export async function ask(server: Running, turn: Turn, [first, last] = ['word0', 'word63']): Promise<Answer> {
  const started = performance.now();
  const response = await send(server, turn);
  let text = '';
  let firstWord = 0;
  for await (const part of response.setEncoding('utf8')) {
    text += part;
    if (firstWord === 0 && text.includes(first)) firstWord = performance.now() - started;
  }
  if (!text.includes(last)) throw new Error(`No answer: ${response.statusCode} ${text.slice(0, 500)}`);
  return { text, milliseconds: performance.now() - started, firstWord };
}

function send(server: Running, turn: Turn): Promise<IncomingMessage> {
  const { url, headers, body } = server.request(turn);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } })
    .on('error', reject)
    .on('response', resolve)
    .end(JSON.stringify(body));
  return promise;
}

/** Reads a streamed answer until it has the word; what follows is left unread. */
export async function askUntil(server: Running, turn: Turn, word: string): Promise<void> {
  const response = await send(server, turn);
  let text = '';
  response.setEncoding('utf8');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.on('data', (part: string) => {
    text += part;
    if (text.includes(word)) resolve();
  });
  response.on('error', resolve); // the server is killed afterwards
  response.on('end', () => reject(new Error(`The stream ended before ${word}: ${text.slice(0, 500)}`)));
  return promise;
}

export const closeConnections = (): void => agent.destroy();
