import { InvalidRequest } from './errors.ts';

/** A text that the agent remembers for a user. */
export type Note = {
  readonly path: string;
  readonly text: string;
  readonly origin: NoteOrigin;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/**
 * `person`: the person wrote or confirmed it, or the agent did before it had read anything by others. `foreign`: the agent wrote it
 * after that. `unknown`: it is older than this distinction, and counts as foreign when it is read.
 */
export type NoteOrigin = (typeof NOTE_ORIGINS)[number];

export const NOTE_ORIGINS = ['person', 'foreign', 'unknown'] as const;

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
