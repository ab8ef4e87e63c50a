import { createInterface } from 'node:readline';
import { readConfig } from '#config/config.ts';
import { withQuietService } from '../connect/with-service.ts';
import { runCommand } from '../run-command.ts';

type Message = { readonly id?: string | number | null; readonly method?: string; readonly params?: Params };
type Params = { readonly name?: unknown; readonly uri?: unknown; readonly _meta?: Readonly<Record<string, unknown>> };
type Address = { readonly url: string; readonly token: string };

/** `reborn mcp serve`: passes the messages of a client on stdin to the service, and its answers to stdout. */
export function serveMcp(): Promise<void> {
  return runCommand(() =>
    withQuietService(readConfig(), async ({ locate }) => {
      const underway = new Set<Promise<void>>();
      for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (line.trim() === '') continue;
        const work = pass(line, locate).finally(() => underway.delete(work));
        underway.add(work);
      }
      await Promise.all(underway);
    }),
  );
}

async function pass(line: string, locate: () => Promise<Address | undefined>): Promise<void> {
  let message: Message = {};
  try {
    message = JSON.parse(line) as Message;
    const address = await locate();
    if (!address) throw new Error('The service is not running.');
    const response = await fetch(`${address.url}/mcp`, {
      method: 'POST',
      headers: headersFor(message, address),
      body: line,
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const answers = isStream ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data ?? '') : [text];
    for (const answer of answers) if (answer.trim() !== '') write(JSON.parse(answer) as object);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    if (message.id === undefined) return void process.stderr.write(`${words}\n`);
    write({ jsonrpc: '2.0', id: message.id, error: { code: -32_603, message: words } });
  }
}

/** One message on one line. */
const write = (message: object) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** Over HTTP, the newest protocol repeats some fields of a message in headers. */
function headersFor({ method, params }: Message, { token }: Address): Record<string, string> {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  const name = params?.name ?? params?.uri;
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    ...(typeof version === 'string' && method !== undefined && { 'mcp-method': method }),
    ...(typeof version === 'string' && typeof name === 'string' && { 'mcp-name': name }),
  };
}
