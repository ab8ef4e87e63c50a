import type { ModelCatalog } from '#agent/administration/models/model-catalog.ts';
import type { StatusFacts } from '#channels/gateway/health/status-route.ts';
import type { AppFacts } from '#channels/gateway/users/me-route.ts';
import type { Config } from '#config/config.ts';
import { readIndexBuilds } from '#database/index-builds.ts';
import { OPERATOR } from '#domain/principal.ts';
import { describeStrength } from '#sandbox/describe-strength.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Core } from './core.ts';

/** The largest body of a request that has a token or a session. */
export const MAX_BODY_BYTES = 14 * 1024 * 1024;

/** What `GET /api/status` tells the operator. */
export function statusFacts({ config, database, db, tools, sandboxes }: Core, modelCatalog: ModelCatalog): StatusFacts {
  return {
    version: packageJson.version,
    startedAt: new Date(),
    model: () => modelCatalog.findDefault(),
    channels: { terminal: config.cli.enabled, gateway: config.gateway.enabled, webhook: config.webhook.enabled },
    database: { kind: database.kind, version: database.version },
    tools: async () => (await tools.current(OPERATOR)).definitions().length,
    indexBuilds: () => readIndexBuilds(db),
    code: async () => describeStrength(await sandboxes.strength()),
  };
}

/** What `GET /api/me` tells every client. */
export function appFacts(config: Config, modelCatalog: ModelCatalog): AppFacts {
  return {
    version: packageJson.version,
    model: async () => {
      const route = await modelCatalog.findDefault();
      // Loaded on first use, because it imports the catalogue of all models.
      const { contextSizeOf } = await import('#models/context-size.ts');
      return { provider: route.provider, name: route.name, contextTokens: contextSizeOf(route).windowTokens };
    },
    singleSignOn: config.oidc !== undefined,
    sharing: config.shareLinks,
    codeHosts: config.sandbox.hosts,
    sendsPerMinute: config.chatRatePerMinute,
    bodyBytes: MAX_BODY_BYTES,
  };
}
