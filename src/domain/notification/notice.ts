import type { DeviceId, EndpointId, GateId, MissionId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { EndedStatus, Failure } from '../thread/turn.ts';
import type { GateKind } from '../tool/gate.ts';

/** The events that people and programs can be notified of. */
export const NOTICE_TYPES = [
  'turn.ended',
  'gate.opened',
  'mission.completed',
  'mission.failed',
  'mission.paused',
  'limit.requested',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** An event as it was when it was routed. It names what happened, and has none of the conversation's content. */
export type Notice = { readonly userId: UserId } & NoticeDetail;

/** What an endpoint can get. */
export type EndpointNotice = Exclude<Notice, { readonly type: 'device.test' }>;

export type NoticeDetail =
  | {
      readonly type: 'turn.ended';
      readonly threadId: ThreadId;
      readonly turnId: TurnId;
      readonly status: Exclude<EndedStatus, 'waiting'>;
      readonly failure: Failure | null;
    }
  | {
      readonly type: 'gate.opened';
      readonly threadId: ThreadId;
      readonly turnId: TurnId;
      readonly gateId: GateId;
      readonly kind: GateKind;
      readonly tool: string;
    }
  | ({
      readonly type: 'mission.completed' | 'mission.failed';
      readonly missionId: MissionId;
      readonly name: string;
    } & RunFacts)
  | {
      readonly type: 'mission.paused';
      readonly missionId: MissionId;
      readonly name: string;
      readonly reason: string;
    }
  /** A user asks the operators for a higher limit. */
  | { readonly type: 'limit.requested' }
  | { readonly type: 'endpoint.test'; readonly endpointId: EndpointId }
  | { readonly type: 'device.test'; readonly deviceId: DeviceId };

/** A run of a mission. */
export type RunFacts = {
  /** When it was due. */
  readonly slot: string;
  readonly reason: string | null;
  readonly threadId: ThreadId | null;
  readonly turnId: TurnId | null;
  /** Failed runs in a row; absent in rows of an earlier version. */
  readonly failures?: number;
};

/** Why the service has paused a mission. */
export type PauseFacts = { readonly reason: string };
