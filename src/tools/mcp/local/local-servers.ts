import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { backoff } from '#domain/backoff.ts';
import { createCrashLedger } from '../../component/jail/crash-ledger.ts';
import { cleanText } from '../clean-text.ts';
import { clientOptions } from '../client-options.ts';
import { McpFailure } from '../mcp-failure.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** A server that is started as a program. */
export type LocalServer = {
  /** Names its process on this replica, and its folder. */
  readonly key: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

type Options = {
  /** The folder for the working folders of servers. */
  readonly folder: string;
  /** Where programs are found. */
  readonly path: string | undefined;
  readonly version: string;
  /** The wait after the first crash; it doubles with each further one. */
  readonly waitMs?: number;
};

type Running = {
  readonly client: Promise<Client>;
  readonly close: () => Promise<void>;
  readonly idle: NodeJS.Timeout;
};

/** One process for each server on this replica. */
export type LocalServers = {
  /** The connection to the server's process. Throws `McpFailure`. */
  connect(server: LocalServer): Promise<Client>;
  /** A call has been answered. */
  succeeded(key: string): void;
  quarantineLeft(key: string): number;
  /** Ends the process of a server that was removed. */
  end(key: string): Promise<void>;
  close(): Promise<void>;
};

/** Five crashes in ten minutes: the server is not started for as long. */
const CRASHES = { limit: 5, windowMs: 600_000, restMs: 600_000 };
const CONNECT_MS = 60_000; // `npx` may download the program first
const LONGEST_WAIT_MS = 30_000;
const IDLE_MS = 15 * 60_000;

/**
 * A process starts with the first call. After a crash it starts again with a later call, each time after a longer wait, and is
 * left alone for a while after several crashes. It ends when it is not used.
 */
export function createLocalServers({ folder, path: programs, version, waitMs = 1000 }: Options): LocalServers {
  const running = new Map<string, Running>();
  const crashes = createCrashLedger(CRASHES);
  const waits = new Map<string, { failures: number; until: number }>();
  let isClosed = false;

  function start({ key, command, env }: LocalServer): Running {
    const cwd = path.join(folder, key);
    const variables = { ...(programs !== undefined && { PATH: programs }), HOME: cwd, ...env };
    const transport = createStdioTransport({ command, cwd, env: variables });
    let isEnding = false;
    const client = connectTo(transport, cwd, version, {
      onFailure: () => void running.delete(key),
      onExit() {
        running.delete(key);
        if (!isEnding) recordCrash(key);
      },
    });
    client.catch(() => {}); // the caller gets the error
    const close = async () => {
      isEnding = true;
      await transport.close();
    };
    const idle = setTimeout(() => void close(), IDLE_MS).unref();
    return { client, close, idle };
  }

  function recordCrash(key: string): void {
    crashes.record(key);
    const failures = (waits.get(key)?.failures ?? 0) + 1;
    const wait = backoff(failures, { first: waitMs, longest: LONGEST_WAIT_MS });
    waits.set(key, { failures, until: performance.now() + wait });
  }

  return {
    async connect(server) {
      if (isClosed) throw new McpFailure('unreachable', 'The service is stopping.');
      const present = running.get(server.key);
      if (present) {
        present.idle.refresh();
        return present.client;
      }
      const wait = Math.max(
        crashes.quarantineLeft(server.key),
        (waits.get(server.key)?.until ?? 0) - performance.now(),
      );
      if (wait > 0)
        throw new McpFailure(
          'refused',
          `The program has crashed. It starts again in ${Math.ceil(wait / 1000)} seconds.`,
        );
      const started = start(server);
      running.set(server.key, started);
      return started.client;
    },
    succeeded: (key) => void waits.delete(key),
    quarantineLeft: (key) => crashes.quarantineLeft(key),
    async end(key) {
      await running.get(key)?.close();
      crashes.forget(key);
      waits.delete(key);
    },
    async close() {
      isClosed = true;
      await Promise.allSettled([...running.values()].map((each) => each.close()));
    },
  };
}

async function connectTo(
  transport: ReturnType<typeof createStdioTransport>,
  cwd: string,
  version: string,
  { onFailure, onExit }: { readonly onFailure: () => void; readonly onExit: () => void },
): Promise<Client> {
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  const { Client: ProtocolClient } = await import('@modelcontextprotocol/client');
  // The probe for the newest protocol would need a second process.
  const options = { ...clientOptions(), versionNegotiation: { mode: 'legacy' } } as const;
  const client = new ProtocolClient({ name: 'reborn', version }, options);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is not an event target
  client.onclose = onExit;
  try {
    await client.connect(transport, { timeout: CONNECT_MS, maxTotalTimeout: CONNECT_MS });
    return client;
  } catch (error) {
    onFailure();
    await transport.close().catch(() => {});
    const said = cleanText(transport.lastWords(), 500);
    throw new McpFailure('unreachable', `The program could not be started as an MCP server. ${said}`.trim(), {
      cause: error,
    });
  }
}
