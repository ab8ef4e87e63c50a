import type { AssistantId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { WorkSettings } from './work-settings.ts';

/** The agent under a name, with settings that a person has written. */
export type Assistant = {
  readonly id: AssistantId;
  /** Whose it is; `*` for one of the operator's, which everyone may use. */
  readonly userId: UserId;
  /** How requests and messages name it. It never changes. */
  readonly name: string;
  readonly createdAt: Date;
} & AssistantVersion;

/** What a person saved at a time. Versions never change, so a turn's shows what ran. */
export type AssistantVersion = {
  readonly version: number;
  /** What it is for, in a sentence. */
  readonly description: string;
  readonly settings: WorkSettings;
  readonly writtenBy: UserId;
  readonly writtenAt: Date;
};

/** What a turn stores of its assistant. */
export type TurnAssistant = Pick<Assistant, 'id' | 'version' | 'name'>;

export const MAX_ASSISTANTS = 100;

export const ASSISTANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** Clients that only know models name an assistant in this way. */
const PREFIX = 'agent/';

export const modelOfAssistant = (name: string): string => PREFIX + name;

/** The assistant that a request's `model` names. */
export const assistantInModel = (model: string | null): string | undefined =>
  model?.startsWith(PREFIX) ? model.slice(PREFIX.length) : undefined;

/** Where an assistant writes notes that are its own. */
export const folderOfAssistant = (name: string): string => `assistants/${name}`;
