import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from '#domain/bucket.ts';
import { type Certificate, certify } from '#domain/erasure.ts';
import type { EnginePool } from '#engine/engine-connection.ts';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { eraseObjects } from './remove-objects.ts';
import { eraseAttachments } from './sweep-attachments.ts';

/** How much one statement deletes, so that it stays short. */
const THREADS = 100;
const ROWS = 5000;
const BYTES = 16 * 1024 * 1024;
/** Running turns are cancelled within a second. Turns of a dead replica end with their rows. */
const UNWIND_MS = 8000;
const LOOK_AGAIN_MS = 100;

/**
 * Erases the user of a requested erasure, and returns the certificate; undefined if `mayContinue` ended it early. Any number
 * of processes may do so at once, and any may die: every statement is complete in itself, and counts what it deletes. Throws
 * while the bucket can't be reached: the certificate is written after the last object is gone.
 */
export async function runErasure(
  pool: EnginePool,
  id: string,
  mayContinue: () => boolean = () => true,
  bucket?: Bucket,
  { removalNoticed } = ENGINE_TIMES,
): Promise<Certificate | undefined> {
  for (let settled = false; mayContinue(); ) {
    const erasure = await readErasure(pool, id);
    if (!erasure) throw new Error(`The erasure ${id} was not requested.`);
    if (erasure.certificate) return JSON.parse(erasure.certificate) as Certificate;
    settled ||= erasure.age > UNWIND_MS || (erasure.age > removalNoticed && !erasure.isRunning);
    if (settled) await eraseAttachments(pool, id, erasure.subject);
    if (!settled || !(await eraseAll(pool, id, mayContinue))) {
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    await eraseObjects(pool, bucket, id, erasure.subject);
    await complete(pool, id, erasure);
  }
  return undefined;
}

export async function findPendingErasures(pool: EnginePool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from erasures where completed_at is null order by id');
  return rows.map(({ id }) => id);
}

/** Returns whether nothing is left. After each statement it waits as long as that took, so that others get their share. */
async function eraseAll(pool: EnginePool, id: string, mayContinue: () => boolean): Promise<boolean> {
  while (mayContinue()) {
    const started = performance.now();
    const { rows } = await pool.query<{ gone: string | null }>(
      { name: 'erase_batch', text: 'select erase_batch($1, $2, $3, $4) as gone' },
      [id, THREADS, ROWS, BYTES],
    );
    const gone = rows[0]?.gone ?? null;
    if (gone === null) return false; // another process is at it
    if (gone === '0') return true;
    await sleep(performance.now() - started);
  }
  return false;
}

type Pending = {
  readonly subject: string;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly certificate: string | null;
  /** In milliseconds. */
  readonly age: number;
  readonly isRunning: boolean;
};

async function readErasure(pool: EnginePool, id: string): Promise<Pending | undefined> {
  const { rows } = await pool.query<Pending>(
    `select subject, requested_by as "requestedBy", requested_at as "requestedAt", certificate,
       (extract(epoch from now() - requested_at) * 1000)::float8 as age,
       exists (select from turns where status in ('queued', 'running') and user_id = erasures.subject) as "isRunning"
     from erasures where id = $1`,
    [id],
  );
  return rows[0];
}

/** The audit log gets the digest with the same statement. Of two processes, the first one writes. */
async function complete(pool: EnginePool, id: string, { subject, requestedBy, requestedAt }: Pending): Promise<void> {
  const { rows } = await pool.query<{ name: string; rows: string }>(
    'select name, rows from erasure_counts where erasure_id = $1 order by name',
    [id],
  );
  const completedAt = new Date();
  const certificate = certify({
    erasure: id,
    subject,
    requestedBy,
    requestedAt: requestedAt.toISOString(),
    completedAt: completedAt.toISOString(),
    deleted: Object.fromEntries(rows.map((counted) => [counted.name, Number(counted.rows)])),
  });
  await pool.query(
    `with completed as (
       update erasures set completed_at = $2, certificate = $3, digest = $4 where id = $1 and completed_at is null returning requested_by, subject
     )
     insert into audit (actor, action, subject, detail)
     select requested_by, 'user.erased', subject, json_build_object('digest', $4::text) from completed`,
    [id, completedAt, JSON.stringify(certificate), certificate.digest],
  );
}
