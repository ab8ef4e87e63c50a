import { startDeletingUndelivered } from '#agent/background/delete-undelivered.ts';
import { startEndingOverdueTurns } from '#agent/background/end-overdue-turns.ts';
import { startEndingRemovedUsers } from '#agent/background/end-removed-users.ts';
import { startIndexingNotes } from '#agent/background/index-notes.ts';
import { startReadingDocuments } from '#agent/background/read-documents.ts';
import { startReleasingUsers } from '#agent/background/release-users.ts';
import { startEmbeddingNotes } from '#agent/background/waiting-notes.ts';
import { startFollowingChildren } from '#agent/delegations/follow-children.ts';
import { startDenyingOverdueGates } from '#agent/gates/overdue-gates.ts';
import { startTracingTurns } from '#agent/inspection/trace-turns.ts';
import { startScheduler } from '#agent/missions/scheduler.ts';
import { createCallbackCarrier, createEventCarrier } from '#agent/outbox/carriers.ts';
import { type Carry, startDelivering } from '#agent/outbox/deliver.ts';
import { createPushCarrier } from '#agent/outbox/push/push-carrier.ts';
import { renderNotice } from '#channels/gateway/notifications/notice-shape.ts';
import { renderPush } from '#channels/gateway/notifications/push-shape.ts';
import type { Embedder } from '#domain/embedder.ts';
import { findLeaving } from '#store/accounts/moves.ts';
import { findRecentlyRemoved } from '#store/accounts/users.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { findManyNotes } from '#store/system/texts.ts';
import { createTraceSender } from '#telemetry/otlp-traces.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Core } from './core.ts';
import { callbackRules } from './webhook-server.ts';

/** Starts the work that no request waits for. */
export function startBackground(core: Core, chatCarrier: Carry): void {
  const { parts, db, engine, metrics, undo, onError } = core;
  stopAtEnd(undo, startDeliveries(core, chatCarrier));
  const scheduler = startScheduler({ db, engine, pace: parts.missions, onError });
  stopAtEnd(undo, scheduler);
  core.missions.followRequestedRuns(scheduler.runNow);
  stopAtEnd(undo, startDenyingOverdueGates(db, engine, metrics.approved, parts.overdueGatesEveryMs));
  stopAtEnd(undo, startFollowingChildren({ db, engine, onError }));
  stopAtEnd(undo, startEndingOverdueTurns(db, engine, parts.overdueTurnsEveryMs));
  stopAtEnd(undo, startDeletingUndelivered(db, engine, parts.undeliveredEveryMs));
  stopAtEnd(undo, startReadingDocuments({ documents: core.documents, engine, pace: parts.documents, onError }));
  if (core.embedder) startEmbedding(core, core.embedder);
  if (core.config.otelEndpoint) stopAtEnd(undo, startTracing(core, core.config.otelEndpoint));
  startEndingAccess(core);
}

const stopAtEnd = (undo: AsyncDisposableStack, task: { stop(): Promise<void> }) => undo.defer(() => task.stop());

function startDeliveries(core: Core, chatCarrier: Carry) {
  const { config, log, db, engine, egress, secrets, metrics, threadUrl } = core;
  const rules = config.webhook.enabled ? callbackRules(config.webhook) : undefined;
  const contact = contactOf(config.publicUrl);
  return startDelivering({
    system: engine.system,
    followDue: engine.followDue,
    replica: engine.replica,
    carriers: {
      chat: chatCarrier,
      callback: createCallbackCarrier(egress, core.jobs, rules),
      event: createEventCarrier({
        db,
        secrets,
        egress,
        render: (notice, at, result) => JSON.stringify(renderNotice(notice, at, { threadUrl, result })),
      }),
      push: createPushCarrier({ db, egress, findVapid: core.findVapid, render: renderPush, contact }),
    },
    pace: core.parts.deliveries,
    onAttempt: (delivery, result) => metrics.delivered(delivery, result),
    onDead: ({ id, kind, target }, error) => log.warn({ delivery: id, kind, target, error }, 'a delivery was given up'),
    onError: core.onError,
  });
}

function startEmbedding({ log, parts, database, db, engine, onError, undo }: Core, embedder: Embedder): void {
  const onFailure = (error: Error) => log.warn({ err: error }, 'notes could not be embedded; retrying later');
  stopAtEnd(undo, startEmbeddingNotes({ db, engine, embedder, pace: parts.notes, onFailure }));
  const indexes = startIndexingNotes({
    findMany: (asked) => findManyNotes(engine.system, asked),
    model: embedder.model,
    build: (plan, signal) => buildNoteIndexes(database.connection, plan, signal),
    pace: parts.noteIndexes,
    onProblem: (problem) => log.warn(problem),
    onError,
  });
  stopAtEnd(undo, indexes);
}

function startTracing({ log, parts, db, engine }: Core, endpoint: string) {
  const send = createTraceSender(endpoint, { version: packageJson.version, replica: engine.replica });
  const onFailure = (error: unknown) => log.warn({ err: error }, 'traces could not be sent; retrying later');
  return startTracingTurns({ db, engine, send, onFailure, pace: parts.traces });
}

/** Ends the turns and answers of users who are removed, or who move to another cell. */
function startEndingAccess({ db, engine, identities, auth, openAnswers, onError, undo }: Core): void {
  const removedUsers = startEndingRemovedUsers({
    db,
    engine,
    findRemoved: () => findRecentlyRemoved(identities),
    onRemoved: () => auth.forget(),
    onError,
  });
  stopAtEnd(undo, removedUsers);
  engine.followRemovals(() => auth.forget()); // also when only a role has changed
  const leavingUsers = startReleasingUsers({
    engine,
    findLeaving: () => findLeaving(identities),
    onLeaving: (userId) => {
      auth.forget();
      openAnswers.cut(userId);
    },
    onError,
  });
  if (leavingUsers) stopAtEnd(undo, leavingUsers);
}

/** Push services want an address of the operator. Some refuse a local one. */
const contactOf = (publicUrl: string | undefined) =>
  publicUrl?.startsWith('https://') ? publicUrl : 'mailto:operator@localhost';
