import type { ProjectId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { Budgets, WorkSettings } from './work-settings.ts';

/** Threads with common instructions, notes and files, which can be shared. The table is called `folders`, as in version 0.2.0. */
export type Project = ProjectSettings & {
  readonly id: ProjectId;
  /** As this person calls it. */
  readonly name: string;
  /** Which assistant answers in this person's new threads, by its name; null for the usual agent. */
  readonly assistant: string | null;
  /** Whose instructions, notes and files these are. */
  readonly ownerId: UserId;
  readonly role: ProjectRole;
  readonly isShared: boolean;
  readonly createdAt: Date;
};

/** Each person's own; members don't see those of the owner. */
export type ProjectSettings = Budgets & Pick<WorkSettings, 'model'>;

/** `write`: may change instructions, notes and files. Only the owner shares and deletes. */
export type ProjectRole = 'owner' | MemberRole;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export const MEMBER_ROLES = ['read', 'write'] as const;

export type ProjectMember = { readonly id: UserId; readonly role: MemberRole; readonly addedAt: Date };

/** A text that belongs to a project. To everyone but its author it is a text by others. */
export type ProjectNote = {
  readonly path: string;
  readonly text: string;
  /** null when that person was erased. */
  readonly writtenBy: UserId | null;
  readonly updatedAt: Date;
};

/** The path of the instructions, which no other note can have. */
export const INSTRUCTIONS = '';

/** What a turn starts with that belongs to its project. */
export type TurnProject = ProjectSettings &
  Pick<Project, 'id' | 'name' | 'ownerId'> & {
    readonly instructions: Pick<ProjectNote, 'text' | 'writtenBy'> | null;
    /** Whether there are files or notes. */
    readonly hasFiles: boolean;
  };

/** Instructions of another member steer how the agent works, but count as a text by others. */
export const hasForeignInstructions = ({ instructions }: TurnProject, userId: UserId): boolean =>
  instructions !== null && instructions.writtenBy !== userId;

/** The folder of a thread's files where those of its project are, which no call can change. */
export const PROJECT_FOLDER = 'project';

export const MAX_PROJECTS = 100;
export const MAX_MEMBERS = 50;
export const MAX_NOTES = 500;
