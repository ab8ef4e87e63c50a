import { InvalidRequest } from './errors.ts';
import type { SeenSource } from './thread/origin.ts';

/** A text that the agent remembers for a user. */
export type Note = Pick<NoteVersion, 'version' | 'origin' | 'writtenBy' | 'sources'> & {
  readonly path: string;
  readonly text: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/**
 * `person`: the person wrote or confirmed it, or the agent did before it had read anything by others. `foreign`: the agent wrote it
 * after that. `unknown`: it is older than this distinction, and counts as foreign when it is read.
 */
export type NoteOrigin = (typeof NOTE_ORIGINS)[number];

export const NOTE_ORIGINS = ['person', 'foreign', 'unknown'] as const;

/** Who wrote a version of a note. `unknown`: a replica or an installation that did not record it yet. */
export type NoteAuthor = (typeof NOTE_AUTHORS)[number];

export const NOTE_AUTHORS = ['person', 'agent', 'unknown'] as const;

/** Who writes a note, and what they had read. `call` is the same for every attempt of one call of a tool. */
export type NoteCause = {
  readonly author: Exclude<NoteAuthor, 'unknown'>;
  readonly threadId?: string;
  readonly turnId?: string;
  readonly call?: string;
  readonly sources?: readonly SeenSource[];
};

export const BY_PERSON: NoteCause = { author: 'person' };

/** A version of a note. The newest one is the note; without a text, it was deleted. */
export type NoteVersion = {
  readonly version: number;
  readonly text: string | null;
  readonly origin: NoteOrigin;
  readonly writtenBy: NoteAuthor;
  readonly threadId: string | null;
  readonly turnId: string | null;
  readonly sources: readonly SeenSource[];
  readonly writtenAt: Date;
};

export const MAX_NOTE_BYTES = 32 * 1024;
const MAX_PATH_LENGTH = 200;
const MAX_DEPTH = 8;
const SEGMENT = /^[\p{Letter}\p{Mark}\p{Number}_.+@'-]+$/u;

/** Who the agent is to its user, and who the user is: these go into every prompt. */
export const AGENT_IDENTITY = 'identity/agent';
export const USER_IDENTITY = 'identity/user';

/** The one spelling of a path: ` /People/Ann Lee/` is `people/ann-lee`. Throws when it can't be one. */
export function normalizePath(given: string): string {
  const segments = given
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .map((segment) => segment.trim().replaceAll(/\s+/g, '-'))
    .filter((segment) => segment !== '');
  const path = segments.join('/');
  if (segments.length === 0) throw refusal('path', 'path must name a note, such as people/ann.');
  if (path.length > MAX_PATH_LENGTH) throw refusal('path', `path may have ${MAX_PATH_LENGTH} characters.`);
  if (segments.length > MAX_DEPTH) throw refusal('path', `path may have ${MAX_DEPTH} parts between slashes.`);
  if (!segments.every((segment) => SEGMENT.test(segment) && !/^\.+$/.test(segment)))
    throw refusal('path', "path may have letters, digits and _ . + @ ' - between its slashes, such as people/ann.");
  return path;
}

/** A text as it is stored: in Unicode normal form, without characters that PostgreSQL can't store. */
export function normalizeText(given: string): string {
  const text = given.toWellFormed().normalize('NFC');
  if (text.trim() === '') throw refusal('text', 'text must not be blank. Delete the note to forget it.');
  if (text.includes('\0')) throw refusal('text', 'text must not contain the character U+0000.');
  if (Buffer.byteLength(text) > MAX_NOTE_BYTES)
    throw refusal('text', `text may have ${MAX_NOTE_BYTES / 1024} KiB. Split it into several notes.`);
  return text;
}

const refusal = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
