import { createServer, request as dial, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import type { Capabilities } from '../capabilities/capabilities.ts';
import { parseCapabilities } from '../capabilities/parse-capabilities.ts';
import { createToolHttp, type ToolHttp, type ToolHttpOptions } from './tool-http.ts';
import type { ToolRequest } from './tool-request.ts';

export const SECRET = 's3cr3t/value+one';
export const HOST = 'https://api.example.com';

export type Arrived = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

type Reply = { status?: number; headers?: Record<string, string>; body?: string | Uint8Array };

/** A real upstream on loopback, and a tool's HTTP that sends requests for all hosts to it. */
export type Upstream = {
  /** What has come so far, as it was on the wire and as it was handed to egress. */
  readonly arrived: Arrived[];
  readonly sent: EgressRequest[];
  readonly warnings: string[];
  readonly leaks: string[];
  readonly uses: Map<string, number>;
  reply: (request: Arrived) => Reply;
  open(change?: Partial<ToolHttpOptions>): Promise<ToolHttp>;
  close(): void;
};

export async function startUpstream(): Promise<Upstream> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const upstream: Upstream = {
    arrived: [],
    sent: [],
    warnings: [],
    leaks: [],
    uses: new Map(),
    reply: () => ({}),
    open: (change) => createToolHttp({ ...defaults(), ...change }),
    close: () => server.close(),
  };
  return upstream;

  function defaults(): ToolHttpOptions {
    const { uses, warnings, leaks } = upstream;
    return {
      toolName: 'weather',
      capabilities: capabilitiesWith({ type: 'bearer' }),
      egress: { send },
      takeUse: async (key, { limit }) => {
        uses.set(key, (uses.get(key) ?? 0) + 1);
        return { isAllowed: (uses.get(key) ?? 0) <= limit, retryInSeconds: 12.3 };
      },
      secretFor: async (name) => (name === 'api_key' ? SECRET : undefined),
      onWarning: (message) => warnings.push(message),
      onLeak: async (name) => void leaks.push(name),
      signal: new AbortController().signal,
    };
  }

  async function send(request: EgressRequest): Promise<EgressAnswer> {
    upstream.sent.push(request);
    const { pathname, search, host } = new URL(request.url);
    const headers = { ...request.headers, host };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      dial({ host: '127.0.0.1', port, method: request.method, path: pathname + search, headers }, resolve)
        .on('error', reject)
        .end(request.body);
    });
    const body = Buffer.concat(await Array.fromAsync<Buffer>(response));
    return { status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await Array.fromAsync<Buffer>(request);
    const { method = '', url = '', headers, rawHeaders } = request;
    const seen = { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
    upstream.arrived.push(seen);
    const { status = 200, headers: extra = {}, body = 'fine' } = upstream.reply(seen);
    response.writeHead(status, extra).end(body);
  }
}

/** Two hosts, of which the first gets a credential in `location`, if there is one. */
export function capabilitiesWith(location?: object, more: object = {}): Capabilities {
  const target = { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'POST'] };
  const credential = { secret_name: 'api_key', location, host_patterns: ['api.example.com'] };
  return parseCapabilities({
    http: {
      allowlist: [target, { ...target, host: 'open.example.com' }],
      rate_limit: { requests_per_minute: 1_000 },
      ...(location && { credentials: { main: credential } }),
    },
    secrets: { allowed_names: ['api_key', 'other_key'] },
    ...more,
  });
}

export type Asked = Partial<Omit<ToolRequest, 'headers'>> & { readonly headers?: Record<string, unknown> | string };

export function asked({ method = 'GET', url = `${HOST}/v1/x`, headers = {}, ...rest }: Asked = {}): ToolRequest {
  return { method, url, headers: typeof headers === 'string' ? headers : JSON.stringify(headers), ...rest };
}

export function textOf({ body }: { body: Uint8Array }): string {
  return Buffer.from(body).toString();
}
