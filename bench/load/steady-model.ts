import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A model that always takes the same time: 40 tokens, the first at once, then one every 10 ms. `use TOOL JSON` in the newest
 * message makes it call the tool first. Asked for JSON, it names a city. It runs as a separate process, so that it does not slow down the traffic.
 */
const TOKENS = 40;
const PACE_MS = 10;

type Asked = {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly response_format?: object;
};

const server = createServer((request, response) => {
  void json(request).then((body) => answer(body as Asked, response));
});

async function answer({ messages, response_format: format }: Asked, response: ServerResponse): Promise<void> {
  const last = messages.at(-1);
  const use = last?.role === 'user' && /use (\S+) ([^"\\]+)/.exec(JSON.stringify(last.content));
  const send = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (use) {
    const call = { index: 0, id: `call_${Math.random()}`, type: 'function' };
    send({ role: 'assistant', tool_calls: [{ ...call, function: { name: use[1], arguments: use[2] } }] });
    send({}, 'tool_calls');
  } else if (format) {
    send({ content: '{"city":"Oslo"}' });
    send({}, 'stop');
  } else {
    for (let token = 0; token < TOKENS; token++) {
      if (token > 0) await sleep(PACE_MS);
      send({ content: `token${token} ` });
    }
    send({}, 'stop');
  }
  response.end('data: [DONE]\n\n');
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
});
