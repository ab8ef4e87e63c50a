import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** An MCP server of the protocol of 2026-07-28, on loopback. It asks people, and reports its progress. */
export async function startModernServer() {
  const calls: { tool: string; input: unknown }[] = [];
  const state = { isCancelled: false };

  function build(): McpServer {
    const server = new McpServer({ name: 'modern', version: '1' });
    const seats = z.object({ seats: z.number().int().min(1).max(9), meal: z.enum(['fish', 'rice']) });
    server.registerTool(
      'book',
      { description: 'Books a trip.', inputSchema: z.object({ to: z.string() }) },
      async ({ to }, { mcpReq }) => {
        calls.push({ tool: 'book', input: mcpReq.inputResponses });
        const given = acceptedContent(mcpReq.inputResponses, 'details', seats);
        if (given) return { content: [{ type: 'text', text: `${to}: ${given.seats} with ${given.meal}` }] };
        const details = inputRequired.elicit({ message: `How many seats to ${to}?`, requestedSchema: seats });
        return inputRequired({ inputRequests: { details }, requestState: `trip-to-${to}` });
      },
    );
    server.registerTool(
      'visit',
      { description: 'Needs a visit.', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      async (_given, { mcpReq }) => {
        calls.push({ tool: 'visit', input: mcpReq.inputResponses });
        if (mcpReq.inputResponses) return { content: [{ type: 'text', text: 'visited' }] };
        const page = inputRequired.elicitUrl({ message: 'Pay there.', url: 'https://pay.example.com/order/7' });
        return inputRequired({ inputRequests: { page } });
      },
    );
    server.registerTool(
      'slow',
      { description: 'Takes its time.', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      async (_given, { mcpReq }) => {
        calls.push({ tool: 'slow', input: undefined });
        const progressToken = mcpReq._meta?.progressToken;
        for (let progress = 1; !mcpReq.signal.aborted; progress++) {
          const message = `step\u202e ${progress}`;
          if (progressToken !== undefined)
            await mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken, progress, total: 1000, message },
            });
          await delay(100, undefined, { signal: mcpReq.signal }).catch(() => {});
        }
        state.isCancelled = true;
        return { content: [] };
      },
    );
    return server;
  }

  return { ...(await serveMcp(build)), calls, state };
}

/** Such a server on loopback. */
export async function serveMcp(build: () => McpServer) {
  const handler = createMcpHandler(build, { legacy: 'stateless' });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const stop = new AbortController();
    response.on('close', () => stop.abort());
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const asked = new Request('http://localhost/mcp', {
      method: request.method ?? 'GET',
      headers,
      signal: stop.signal,
      ...(body !== '' && { body }),
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
