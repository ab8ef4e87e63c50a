import type { Generated, JSONColumnType } from 'kysely';
import type { GateId, ItemId, MissionId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Situation } from '#domain/thread/origin.ts';
import type { Answerer } from '#domain/tool/call-decision.ts';
import type { GatedCall, GateFacts, GateKind } from '#domain/tool/gate.ts';
import type { Question, QuestionInput } from '#domain/tool/question.ts';

/** What threads wait for, and what people have allowed. */
export type GateTables = {
  gates: {
    id: GateId;
    threadId: ThreadId;
    turnId: TurnId;
    turnSeq: number;
    userId: string;
    kind: GateKind;
    call: JSONColumnType<GatedCall>;
    revision: string | null;
    createdAt: Generated<Date>;
    answeredAt: Date | null;
    answeredSeq: number | null;
    asked: JSONColumnType<GateFacts> | null;
  };
  approvals: {
    gateId: GateId;
    userId: string;
    callId: ItemId;
    digest: string;
    createdAt: Generated<Date>;
    expiresAt: Date;
    usedAt: Date | null;
    answeredBy: Answerer | null;
  };
  callQuestions: {
    callId: ItemId;
    threadId: ThreadId;
    userId: string;
    digest: string;
    question: JSONColumnType<Question>;
    state: JSONColumnType<object>;
    input: JSONColumnType<QuestionInput> | null;
    askedAt: Generated<Date>;
    answeredAt: Date | null;
  };
  standingApprovals: {
    id: string;
    userId: string;
    tool: string;
    revision: string | null;
    shape: string;
    digest: string;
    situation: Generated<Situation>;
    missionId: MissionId | null;
    createdAt: Generated<Date>;
  };
  siteGrants: {
    userId: string;
    threadId: ThreadId;
    run: TurnId;
    site: string;
    createdAt: Generated<Date>;
  };
  pairings: { userId: string; pairedUserId: string; createdAt: Generated<Date> };
};
