import type { McpHeader, McpServer } from '#domain/tool/mcp-server.ts';
import { EVERYONE } from '#store/tools/mcp-servers.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** The headers of a server with their secret values. */
export type ServerHeaders = {
  read(server: Pick<McpServer, 'userId' | 'name' | 'headers'>): Promise<ReadHeaders>;
};

export type ReadHeaders = {
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that were read, and their values. */
  readonly names: readonly string[];
  readonly values: readonly string[];
};

/**
 * Reads the secrets of the server's owner alone. The usual lookup falls back to everyone's secrets, which a user's server
 * must never get.
 */
export function createServerHeaders(secrets: Pick<Secrets, 'inVault'>): ServerHeaders {
  return {
    async read(server) {
      if (server.headers.length === 0) return { headers: {}, names: [], values: [] };
      return secrets.inVault(holderOf(server.userId), async (vault) => {
        const found = [];
        for (const header of server.headers) {
          const name = headerSecret(server.name, header.name);
          const secret = await vault.find(name);
          if (secret) found.push({ header, name, value: secret.reveal() });
        }
        return {
          headers: Object.fromEntries(found.map(({ header, value }) => [header.name, header.prefix + value])),
          names: found.map(({ name }) => name),
          values: found.map(({ value }) => value),
        };
      });
    },
  };
}

export const holderOf = (userId: string): SecretHolder => (userId === EVERYONE.userId ? 'everyone' : { userId });

/** The name of the secret that a header is stored under. */
export const headerSecret = (server: string, header: string) => `mcp.${server}.${header.toLowerCase()}`;

/** Separates a scheme such as `Bearer` from the key, so that the key alone is recognised wherever it appears. */
export function splitHeader(name: string, value: string): { readonly header: McpHeader; readonly secret: string } {
  const [prefix = ''] = /^[A-Za-z][\w-]* +/.exec(value) ?? [];
  return { header: { name, prefix }, secret: value.slice(prefix.length) };
}
