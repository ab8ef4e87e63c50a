import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { meaningOf } from './meanings.ts';

/** The model answers, is down, stays silent, or refuses a text. */
type Mood = 'fine' | 'down' | 'silent' | { readonly refuses: string };

/**
 * An embedding model on loopback that speaks OpenAI's wire format and knows the meaning of words (`meanings.ts`). All other
 * requests are forwarded to `otherwise`, because one provider has models of both kinds.
 */
export async function startEmbeddingModel(otherwise = '') {
  const asked: { readonly model: string; readonly texts: readonly string[] }[] = [];
  const state: { mood: Mood } = { mood: 'fine' };

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.endsWith('/embeddings')) return passOn(request, response, otherwise);
    const { model, input } = (await json(request)) as { model: string; input: string[] };
    asked.push({ model, texts: input });
    const { mood } = state;
    if (mood === 'silent') return;
    if (mood === 'down') return send(response, 503, { error: { message: 'Out for lunch.' } });
    if (mood !== 'fine' && input.some((text) => text.includes(mood.refuses)))
      return send(response, 400, { error: { message: 'This text is refused.' } });

    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: meaningOf(text) }));
    send(response, 200, { object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  }

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    state,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function passOn(request: IncomingMessage, response: ServerResponse, to: string): void {
  const url = new URL(request.url ?? '/', to);
  const onward = httpRequest(url, { method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
