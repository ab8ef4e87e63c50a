import type { Generated, JSONColumnType } from 'kysely';
import type { NoteAuthor, NoteOrigin } from '#domain/note.ts';
import type { SeenSource } from '#domain/thread/origin.ts';

/** Notes, and their versions. */
export type NoteTables = {
  notes: {
    number: Generated<string>;
    userId: string;
    path: string;
    text: string;
    wordCount: number;
    origin: Generated<NoteOrigin>;
    signature: string | null;
    embedding: number[] | null;
    embeddingModel: Generated<string>;
    embedAttempts: Generated<number>;
    embedDueAt: Generated<Date>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  noteVersions: {
    userId: string;
    path: string;
    version: number;
    text: string | null;
    origin: NoteOrigin;
    writtenBy: NoteAuthor;
    threadId: string | null;
    turnId: string | null;
    call: string | null;
    sources: JSONColumnType<readonly SeenSource[]>;
    writtenAt: Generated<Date>;
  };
};
