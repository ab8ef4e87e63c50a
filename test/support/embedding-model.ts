import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { meaningOf } from './meanings.ts';

/** How the model behaves: it answers, is down, says nothing, or refuses a text. */
export type EmbeddingMood = 'fine' | 'down' | 'silent' | { readonly refuses: string };

/** An embedding model on loopback that speaks OpenAI's wire and knows what words mean (`meanings.ts`). */
export async function startEmbeddingModel() {
  const asked: { readonly model: string; readonly texts: readonly string[] }[] = [];
  const state: { mood: EmbeddingMood } = { mood: 'fine' };
  const server = createServer((request, response) => {
    void (async () => {
      const { model, input } = (await json(request)) as { model: string; input: string[] };
      asked.push({ model, texts: input });
      const { mood } = state;
      if (mood === 'silent') return;
      if (typeof mood === 'object' && input.some((text) => text.includes(mood.refuses)))
        return response.writeHead(400, JSON_TYPE).end('{"error":{"message":"This text is refused."}}');
      if (mood === 'down') return response.writeHead(503, JSON_TYPE).end('{"error":{"message":"Out for lunch."}}');
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: meaningOf(text) }));
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ object: 'list', model, data, usage: USAGE }));
    })();
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

const JSON_TYPE = { 'content-type': 'application/json' };
const USAGE = { prompt_tokens: 1, total_tokens: 1 };
