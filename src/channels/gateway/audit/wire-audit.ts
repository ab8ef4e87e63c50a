import { z } from 'zod';
import { pageQuery } from '../page.ts';

export const auditQuery = pageQuery(/^\d{1,18}$/);

/** The body of `GET /api/audit`. */
export const auditList = z
  .strictObject({
    entries: z.array(
      z.strictObject({
        id: z.string(),
        at: z.iso.datetime(),
        actor: z.string().describe('The id of the user who did it, or `operator`.'),
        action: z.string(),
        subject: z.string().nullable(),
        detail: z.record(z.string(), z.unknown()),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'AuditList' });
