import type { Logger } from 'pino';
import { startGeneratingTitles } from '#agent/threads/generate-titles.ts';
import { createRunner } from '#agent/turn/run-claimed-turn.ts';
import { createTurnLog } from '#agent/turn/turn-log.ts';
import { measurePools } from '#database/measured-pool.ts';
import type { Bucket } from '#domain/bucket.ts';
import { judgeJoining, type ReplicaFacts } from '#domain/joining-replica.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { startEngine } from '#engine/engine.ts';
import { startLifecycle } from '#lifecycle/lifecycle.ts';
import { describeModelSettings } from '#models/describe-model-settings.ts';
import { isAway } from '#store/away.ts';
import type { Base } from './base.ts';

const RUNNING_TURNS = 500;

type RunnerContext = Parameters<typeof createRunner>[0];
type TurnParts = Pick<
  RunnerContext,
  'models' | 'tools' | 'safety' | 'attachments' | 'files' | 'projectFiles' | 'documents' | 'skills'
>;

/** Joins the living replicas, and starts to run turns, to name threads and to delete what has expired. */
export async function openEngine(base: Base, turnParts: TurnParts, bucket: Bucket | undefined) {
  const { config, log, parts, db, metrics, onError, undo } = base;
  const facts = { model: describeModelSettings(config.model), isCommand: parts.terminal ?? false };
  const turnLog = openTurnLog(base);
  const engine = await startEngine({
    connection: base.connection,
    createPool: measurePools(metrics.waitsOf('engine')),
    connections: base.shares.engine,
    replica: base.replica,
    application: base.application,
    capacity: parts.turns ?? RUNNING_TURNS,
    facts,
    admit: (living) => admitTo(living, facts, log),
    runTurn: createRunner({
      ...turnParts,
      db,
      summaries: base.summaries,
      limits: config.spending,
      retries: config.model.retries,
      delegation: config.delegation,
      log: turnLog,
      isTraced: config.otelEndpoint !== undefined,
    }),
    onAccepted: (turn) => turnLog.accepted(turn),
    onTakenOver: metrics.takenOver,
    onRound: metrics.finishedRound,
    onError,
    isAway,
    times: parts.engineTimes,
  });
  undo.defer(() => engine.drain());
  const lifecycle = startLifecycle({
    engine,
    retention: { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays },
    attachments: { bucket, ...parts.attachmentSweep },
    purgeThreadsEveryMs: parts.purgeThreadsEveryMs,
    times: parts.engineTimes,
  });
  undo.defer(() => lifecycle.stop());
  const { enabled, route: model } = config.titleModel;
  const { models, safety } = turnParts;
  const titles = enabled
    ? startGeneratingTitles({
        db,
        engine,
        models,
        safety,
        model,
        limits: config.spending,
        pace: parts.titles,
        onError,
      })
    : undefined;
  undo.defer(async () => titles?.stop());
  return { engine, lifecycle, titles };
}

function openTurnLog({ log, metrics }: Base) {
  const debug = (line: object, message: string) => log.debug(line, message);
  const warn = (line: object, message: string) => log.warn(line, message);
  return createTurnLog({ debug: log.isLevelEnabled('debug') ? debug : undefined, warn }, metrics.turns);
}

/** Throws, with instructions, when this process must not run turns beside the live replicas. */
function admitTo(living: readonly ReplicaFacts[], self: ReplicaFacts, log: Logger): void {
  const { refusal, warning } = judgeJoining(self, living);
  if (refusal) throw new Error(refusal);
  if (warning) log.warn(warning);
}
