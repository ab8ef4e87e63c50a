import type { Logger } from 'pino';
import { startDeletingUndelivered } from '#agent/background/delete-undelivered.ts';
import { startEndingOverdueTurns } from '#agent/background/end-overdue-turns.ts';
import { startIndexingNotes } from '#agent/background/index-notes.ts';
import { startEmbeddingNotes } from '#agent/background/waiting-notes.ts';
import { startDenyingOverdueGates } from '#agent/gates/overdue-gates.ts';
import { startTracingTurns } from '#agent/inspection/trace-turns.ts';
import type { Jobs } from '#agent/jobs.ts';
import type { Missions } from '#agent/missions/missions.ts';
import { startScheduler } from '#agent/missions/scheduler.ts';
import { createCallbackCarrier, createEventCarrier } from '#agent/outbox/carriers.ts';
import { type Carry, startDelivering } from '#agent/outbox/deliver.ts';
import { createPushCarrier } from '#agent/outbox/push/push-carrier.ts';
import type { FindVapid } from '#agent/outbox/push/vapid.ts';
import { renderNotice } from '#channels/gateway/notifications/notice-shape.ts';
import { renderPush } from '#channels/gateway/notifications/push-shape.ts';
import type { Config } from '#config/config.ts';
import type { OpenDatabase } from '#database/open-database.ts';
import type { Embedder } from '#domain/embedder.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { Egress } from '#egress/egress.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { findManyNotes } from '#store/system/notes.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { createTraceSender } from '#telemetry/otlp-traces.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Parts } from './parts.ts';
import { callbackRules } from './webhook-server.ts';

type Options = {
  readonly config: Config;
  readonly log: Logger;
  readonly parts: Parts;
  readonly database: OpenDatabase;
  readonly db: Database;
  readonly engine: Engine;
  readonly egress: Egress;
  readonly secrets: Secrets;
  readonly jobs: Jobs;
  readonly missions: Missions;
  readonly chatCarrier: Carry;
  readonly findVapid: FindVapid;
  readonly embedder: Embedder | undefined;
  readonly metrics: Metrics;
  readonly threadUrl: ThreadUrl;
  readonly onError: (error: unknown) => void;
  readonly undo: AsyncDisposableStack;
};

/** Starts the work that no request waits for: deliveries, missions, overdue gates, notes and traces. */
export function startBackground(options: Options): void {
  const { config, log, parts, database, db, engine, egress, secrets, jobs, findVapid, embedder } = options;
  const { metrics, threadUrl, onError, undo } = options;
  const delivering = startDelivering({
    system: engine.system,
    followDue: engine.followDue,
    replica: engine.replica,
    carriers: {
      chat: options.chatCarrier,
      callback: createCallbackCarrier(egress, jobs, config.webhook.enabled ? callbackRules(config.webhook) : undefined),
      event: createEventCarrier({
        db,
        secrets,
        egress,
        render: (notice, at, result) => JSON.stringify(renderNotice(notice, at, { threadUrl, result })),
      }),
      push: createPushCarrier({
        db,
        egress,
        findVapid,
        render: renderPush,
        contact: contactOf(config.publicUrl),
      }),
    },
    pace: parts.deliveries,
    onAttempt: (delivery, result) => metrics.delivered(delivery, result),
    onDead: ({ id, kind, target }, error) => log.warn({ delivery: id, kind, target, error }, 'a delivery was given up'),
    onError,
  });
  undo.defer(() => delivering.stop());
  const scheduler = startScheduler({ db, engine, pace: parts.missions, onError });
  undo.defer(() => scheduler.stop());
  options.missions.followRequestedRuns(scheduler.runNow);
  const overdueGates = startDenyingOverdueGates(db, engine, metrics.approved, parts.overdueGatesEveryMs);
  undo.defer(() => overdueGates.stop());
  const overdueTurns = startEndingOverdueTurns(db, engine, parts.overdueTurnsEveryMs);
  undo.defer(() => overdueTurns.stop());
  const undelivered = startDeletingUndelivered(db, engine, parts.undeliveredEveryMs);
  undo.defer(() => undelivered.stop());
  if (embedder) {
    const onFailure = (error: Error) => log.warn({ err: error }, 'notes could not be embedded; retrying later');
    const notes = startEmbeddingNotes({ db, engine, embedder, pace: parts.notes, onFailure });
    undo.defer(() => notes.stop());
    const indexes = startIndexingNotes({
      findMany: (asked) => findManyNotes(engine.system, asked),
      model: embedder.model,
      build: (plan, signal) => buildNoteIndexes(database.connection, plan, signal),
      pace: parts.noteIndexes,
      onProblem: (problem) => log.warn(problem),
      onError,
    });
    undo.defer(() => indexes.stop());
  }

  if (config.otelEndpoint) {
    const service = { version: packageJson.version, replica: engine.replica };
    const send = createTraceSender(config.otelEndpoint, service);
    const onFailure = (error: unknown) => log.warn({ err: error }, 'traces could not be sent; retrying later');
    const tracing = startTracingTurns({ db, engine, send, onFailure, pace: parts.traces });
    undo.defer(() => tracing.stop());
  }
}

/** Push services want an address of the operator. Some refuse a local one. */
const contactOf = (publicUrl: string | undefined) =>
  publicUrl?.startsWith('https://') ? publicUrl : 'mailto:operator@localhost';
