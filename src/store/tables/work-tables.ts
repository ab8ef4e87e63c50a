import type { Generated, JSONColumnType } from 'kysely';
import type { AssistantId, MissionId, ProjectId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Mission, MissionSettings, Occurrence } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import type { MemberRole } from '#domain/work/project.ts';
import type { WorkSettings } from '#domain/work/work-settings.ts';

/** Projects, assistants and missions. */
export type WorkTables = {
  folders: {
    userId: string;
    id: ProjectId;
    name: string;
    createdAt: Generated<Date>;
    sharedBy: string | null;
    model: string | null;
    assistant: string | null;
    tokensPerRun: number | null;
    tokensPerDay: number | null;
    usdPerRun: number | null;
    usdPerDay: number | null;
  };
  projectMembers: {
    userId: string;
    projectId: ProjectId;
    member: string;
    role: MemberRole;
    name: string;
    addedAt: Generated<Date>;
  };
  projectNotes: {
    userId: string;
    projectId: ProjectId;
    path: string;
    text: string;
    writtenBy: string | null;
    updatedAt: Generated<Date>;
  };
  assistants: {
    id: AssistantId;
    userId: string;
    name: string;
    version: number;
    createdAt: Generated<Date>;
    deletedAt: Date | null;
  };
  assistantVersions: {
    assistant: AssistantId;
    version: number;
    userId: string;
    description: string;
    settings: JSONColumnType<WorkSettings>;
    writtenBy: string;
    writtenAt: Generated<Date>;
  };
  missions: Omit<MissionSettings, 'schedule' | 'tools'> & {
    id: MissionId;
    userId: string;
    schedule: JSONColumnType<Schedule>;
    eventUserId: string | null;
    revision: Generated<number>;
    tzVersion: string;
    threadId: ThreadId | null;
    tools: string[] | null;
    failures: Generated<number>;
    state: Generated<Mission['state']>;
    pauseReason: Mission['pauseReason'];
    nextDueAt: Date | null;
    startingUntil: Date | null;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  occurrences: {
    missionId: MissionId;
    slot: Date;
    userId: string;
    kind: Occurrence['kind'];
    state: Occurrence['state'];
    reason: string | null;
    isLate: Generated<boolean>;
    revision: number;
    dueAt: Date;
    requestKey: string | null;
    causeTurnId: TurnId | null;
    threadId: ThreadId | null;
    turnId: TurnId | null;
    tokens: Generated<string>;
    costUsd: number | null;
    createdAt: Generated<Date>;
    startedAt: Date | null;
    endedAt: Date | null;
    /** It has ended with a result that its owner has not read. */
    unread: Generated<boolean>;
  };
};
