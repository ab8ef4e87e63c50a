import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type McpMessage = { readonly id?: number; readonly method: string; readonly params?: Record<string, unknown> };

/** Returns the result; undefined when it has answered itself, or never will. */
export type McpAnswer = (message: McpMessage, response: ServerResponse) => unknown;

export const ECHO = { name: 'echo', description: 'Echoes.', inputSchema: { type: 'object', properties: {} } };

/** Returns whether it has answered the request itself. */
export type McpGuard = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** An MCP server of the protocol before 2026-07-28, on loopback. `answers` replaces its answers, also while it runs. */
export async function startMcpServer(answers: Record<string, McpAnswer> = {}, guard: McpGuard = () => false) {
  const seen: McpMessage[] = [];
  const requests: IncomingMessage[] = [];
  const usual: Record<string, McpAnswer> = {
    'server/discover': (_message, response) => void response.writeHead(400).end('no'),
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'tools/list': () => ({ tools: [ECHO] }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify(params?.['arguments']) }] }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await guard(request, response)) return;
    requests.push(request);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (body === '') return void response.writeHead(200).end();
    const message = JSON.parse(body) as McpMessage;
    seen.push(message);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result: unknown = await (answers[message.method] ?? usual[message.method])?.(message, response);
    if (result === undefined) return;
    const isError = typeof result === 'object' && result !== null && 'error' in result;
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(isError ? result : { result }) });
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'session-1' };
    response.writeHead(200, headers).end(text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    answers,
    seen,
    requests,
    methods: () => seen.map(({ method }) => method),
    calls: () => seen.filter(({ method }) => method === 'tools/call'),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
