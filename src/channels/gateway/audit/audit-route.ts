import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { nextCursor, pageQuery } from '../page.ts';

export const auditRoute = defineRoute({
  method: 'get',
  path: '/api/audit',
  summary: 'List changes to the installation, newest first.',
  access: 'operator',
  query: pageQuery(/^\d{1,18}$/),
  responses: {
    200: {
      description: 'A page of the audit log.',
      json: z
        .strictObject({
          entries: z.array(
            z.strictObject({
              id: z.string(),
              at: z.iso.datetime(),
              actor: z.string().describe('The id of the user who made the change, or `operator`.'),
              action: z.string(),
              subject: z.string().nullable(),
              detail: z.record(z.string(), z.unknown()),
            }),
          ),
          names: z
            .record(z.string(), z.string())
            .describe('The names of the users whom the entries mention, by id; also of removed ones.'),
          next_cursor: z.string().nullable(),
        })
        .meta({ id: 'AuditList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { limit, cursor } }, { accounts }: { accounts: Accounts }) {
    const { entries, names } = await accounts.readAudit(principal, { before: cursor, limit });
    return {
      entries: entries.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
      names: Object.fromEntries(names),
      next_cursor: nextCursor(entries, limit),
    };
  },
});
