import type { Logger } from 'pino';
import { newToken, provisionOperatorToken } from '#auth/tokens/operator-token.ts';
import type { Config } from '#config/config.ts';
import { createEgress } from '#egress/egress.ts';
import type { TakeUse } from '#http/caller/rate-limit.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { warnOfLocalKey } from '#tools/secrets/provision-key.ts';
import { openStores } from './open-stores.ts';
import type { Parts } from './parts.ts';

/** What every other part is built on. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the database, the secrets and the way out. `undo` closes what is open, in reverse order. */
export async function openBase(config: Config, log: Logger, parts: Parts, undo: AsyncDisposableStack) {
  const stores = await openStores(config, log, parts.database, undo);
  const { db, database } = stores;
  const { secrets, key, keyId, summaries, shareLinks } = await openSecrets(db, config);
  const keyProblems = [warnOfLocalKey(key, database.kind), await secrets.findKeyProblem()];
  for (const problem of keyProblems) if (problem) log.warn(problem);
  const tokens = await provisionTokens(config);
  const egress = createEgress(parts.network);
  undo.defer(() => egress.close());
  const limitUse: TakeUse = (name, limit) => takeUse(db, name, limit);
  return {
    config,
    log,
    parts,
    undo,
    ...stores,
    secrets,
    keyId,
    summaries,
    shareLinks,
    tokens,
    egress,
    takeUse: limitUse,
    onError: (error: unknown) => log.error({ err: error }, 'a background task failed'),
  };
}

/** Each of these authenticates the operator. */
async function provisionTokens(config: Config): Promise<{ operator: string; gateway: string }> {
  return {
    operator: config.operatorToken ?? (await provisionOperatorToken(config.home)),
    gateway: config.gateway.authToken ?? newToken(),
  };
}
