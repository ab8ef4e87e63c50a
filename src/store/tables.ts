import type { Generated, JSONColumnType } from 'kysely';
import type { GatedCall, GateKind } from '#domain/gate.ts';
import type { ItemBody } from '#domain/item.ts';
import type { Callback, JobFailure, JobStatus } from '#domain/job.ts';
import type { ToolDefinition } from '#domain/tool.ts';
import type { CancelReason, Channel, Failure, TurnRequest, TurnStatus } from '#domain/turn.ts';
import type { Usage } from '#domain/usage.ts';
import type { WebhookRoute } from '#domain/webhook-route.ts';

/** The columns of every table, in the words of the domain. */
export type Tables = {
  threads: {
    id: string;
    userId: string;
    lastSeq: number;
    active: string | null;
    catalog: JSONColumnType<ToolDefinition[]>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  turns: {
    id: string;
    threadId: string;
    userId: string;
    seq: number;
    status: Generated<TurnStatus>;
    channel: Channel;
    request: JSONColumnType<TurnRequest>;
    failure: JSONColumnType<Failure> | null;
    refused: Generated<boolean>;
    usage: JSONColumnType<Usage> | null;
    cancelReason: CancelReason | null;
    runner: string | null;
    attempt: Generated<number>;
    attemptBase: Generated<number>;
    handback: Generated<number>;
    trial: number | null;
    createdAt: Generated<Date>;
    startedAt: Date | null;
    endedAt: Date | null;
  };
  items: {
    threadId: string;
    turnSeq: number;
    position: number;
    id: string;
    turnId: string;
    userId: string;
    attempt: number | null;
    body: JSONColumnType<ItemBody>;
    usage: JSONColumnType<Usage> | null;
    startedAt: Date | null;
    createdAt: Generated<Date>;
  };
  gates: {
    id: string;
    threadId: string;
    turnId: string;
    turnSeq: number;
    userId: string;
    kind: GateKind;
    call: JSONColumnType<GatedCall>;
    createdAt: Generated<Date>;
    answeredAt: Date | null;
    answeredSeq: number | null;
  };
  idempotencyKeys: {
    userId: string;
    key: string;
    digest: string;
    turnId: string;
    createdAt: Generated<Date>;
  };
  jobs: {
    id: string;
    userId: string;
    threadId: string;
    turnId: string;
    status: Generated<JobStatus>;
    waitingOn: GateKind | null;
    failure: JSONColumnType<JobFailure> | null;
    conversationId: string | null;
    metadata: JSONColumnType<Record<string, unknown>> | null;
    createdAt: Generated<Date>;
    completedAt: Date | null;
    callbackUrl: string | null;
    callbackStatus: Callback['status'] | null;
    callbackAttempts: Generated<number>;
    callbackDueAt: Date | null;
    callbackError: string | null;
  };
  conversations: { userId: string; name: string; threadId: string; createdAt: Generated<Date> };
  webhookRoutes: WebhookRoute & { createdAt: Generated<Date> };
  secrets: {
    userId: string;
    name: string;
    ciphertext: Buffer;
    keyId: string;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
    expiresAt: Date | null;
  };
  skills: {
    userId: string;
    name: string;
    description: string;
    files: JSONColumnType<Record<string, string>>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  tools: {
    name: string;
    hash: string;
    witVersion: string;
    description: string;
    parameters: JSONColumnType<Record<string, unknown>>;
    capabilities: JSONColumnType<Record<string, unknown>>;
    revision: string;
    installedAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  componentFiles: { hash: string; path: string; content: Buffer };
  settings: { name: string; value: JSONColumnType<object>; updatedAt: Generated<Date> };
};
