import type { Logger } from 'pino';
import { claimCell } from '#cells/claim-cell.ts';
import type { Config } from '#config/config.ts';
import { startIndexBuilds } from '#database/index-builds.ts';
import { measurePools } from '#database/measured-pool.ts';
import { INDEXES_LATER, MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { shareConnections } from '#database/share-connections.ts';
import { warnOfUnboundRole } from '#database/unbound-role.ts';
import { newId, type ReplicaId } from '#domain/ids.ts';
import { connectStore } from '#store/connection.ts';
import { connectIdentities } from '#store/identity-connection.ts';
import { createMetrics } from '#telemetry/metrics.ts';

/** An idle connection is closed, because it takes a place that another replica may need. */
const IDLE_CONNECTION_MS = 3000;

/** Opens and migrates the database, and connects this replica to it. `given` is an open database. */
export async function openStores(
  config: Config,
  log: Logger,
  given: OpenDatabase | undefined,
  undo: AsyncDisposableStack,
) {
  const onError = (error: unknown) => log.error({ err: error }, 'a database connection failed');
  const database =
    given ?? (await openDatabase({ url: config.databaseUrl, home: config.home, log: (line) => log.info(line) }));
  undo.defer(() => database.close());
  if (await migrateDatabase(database.connection, MIGRATIONS, undefined, INDEXES_LATER)) {
    const builds = startIndexBuilds(database.connection, (error) =>
      log.error({ err: error }, 'An index could not be built. Trying again.'),
    );
    undo.defer(() => builds.stop());
  }
  await claimCell(database.connection, config);
  await warnOfUnboundRole(database.connection, log);
  const replica = newId<ReplicaId>();
  const application = `reborn ${replica}`;
  const connection = {
    ...database.connection,
    Client: PreparingClient,
    application_name: application,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  };
  const metrics = createMetrics();
  undo.defer(() => metrics.stop());
  const shares = shareConnections(config.databaseConnections, { buildsIndexes: config.embeddingModel !== undefined });
  const db = connectStore({ ...connection, max: shares.store }, onError, measurePools(metrics.waitsOf('store')));
  undo.defer(() => db.destroy());
  const identities = connectIdentities(
    { ...connection, max: shares.identities },
    onError,
    measurePools(metrics.waitsOf('identities')),
  );
  undo.defer(() => identities.destroy());
  return { database, replica, application, connection, metrics, shares, db, identities };
}
