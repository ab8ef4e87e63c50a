import type { NoteAuthor, NoteOrigin } from '#domain/note.ts';
import type { SeenSource } from '#domain/thread/origin.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** Where notes came from: a thread, a turn, or a text that the agent had read. */
export type NoteTrace = { readonly threadId: string } | { readonly turnId: string } | Pick<SeenSource, 'kind' | 'name'>;

/** A note that came from there, and what it would be without: its newest version from elsewhere, if it has one. */
export type TracedNote = {
  readonly path: string;
  readonly version: number;
  readonly writtenBy: NoteAuthor;
  /** null: it was deleted after reading this. */
  readonly text: string | null;
  readonly stays: {
    readonly version: number;
    readonly text: string | null;
    readonly origin: NoteOrigin;
    readonly sources: readonly SeenSource[];
  } | null;
  /** All of its versions that came from there. */
  readonly versions: readonly number[];
};

/**
 * The notes with versions from there, by path. `derived`: also those that were written while such a version was in view, and so on.
 * A version with the same text as an earlier one of its note, such as a restored one, came from where that came from.
 */
export function findTraced(
  trx: OwnedTransaction,
  owner: Owner,
  trace: NoteTrace,
  derived: boolean,
): Promise<TracedNote[]> {
  const { threadId = null, turnId = null, kind = null, name = null } = trace as Partial<Record<string, string | null>>;
  return runStatement(trx, FIND, [owner.userId, threadId, turnId, kind, name, derived]);
}

const FIND = `
  with recursive step as materialized (
    select s.name as from_path, s.version as from_version, v.path, v.version
    from note_versions as v, jsonb_to_recordset(v.sources) as s (kind text, name text, version integer)
    where v.user_id = $1 and s.kind = 'note' and s.version is not null and $6
    union all
    select older.path, older.version, newer.path, newer.version
    from note_versions as older join note_versions as newer
      on newer.user_id = older.user_id and newer.path = older.path and newer.version > older.version and newer.text = older.text
    where older.user_id = $1
  ), traced as (
    select path, version from note_versions as v where user_id = $1 and (thread_id = $2 or turn_id = $3
      or exists (select from jsonb_to_recordset(v.sources) as s (kind text, name text)
        where s.kind = $4 and s.name is not distinct from $5))
    union
    select step.path, step.version from traced
    join step on step.from_path = traced.path and step.from_version = traced.version
  ), traced_note as (
    select path, array_agg(version order by version) as versions from traced group by path
  )
  select path, newest.version, newest.written_by as "writtenBy", newest.text, versions, (
      select json_build_object('version', version, 'text', text, 'origin', origin, 'sources', sources) from note_versions as v
      where v.user_id = $1 and v.path = traced_note.path and v.version <> all (versions) order by version desc limit 1
    ) as stays
  from traced_note cross join lateral (
    select version, written_by, text from note_versions as v
    where v.user_id = $1 and v.path = traced_note.path order by version desc limit 1
  ) as newest
  order by path`;
