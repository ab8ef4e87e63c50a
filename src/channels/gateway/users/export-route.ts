import { Readable } from 'node:stream';
import { z } from 'zod';
import type { PersonExport } from '#agent/administration/person-export.ts';
import { defineRoute } from '#http/routes/define-route.ts';

export const exportMe = defineRoute({
  method: 'get',
  path: '/api/me/export',
  summary: 'Download everything about the caller, as lines of JSON.',
  responses: {
    200: {
      description: 'A file. The first line says whose it is, and the last one how many rows it has.',
      lines: z
        .union([
          z.strictObject({ reborn_export: z.literal(1), user_id: z.string(), exported_at: z.iso.datetime() }),
          z.strictObject({ table: z.string(), row: z.record(z.string(), z.unknown()) }),
          z.strictObject({ end: z.literal(true), rows: z.int() }),
        ])
        .meta({ id: 'ExportLine' }),
    },
  },
  errors: [429],
  async handle({ principal, reply }, { personExport }: { readonly personExport: PersonExport }) {
    const lines = personExport(principal);
    reply.header('content-disposition', `attachment; filename="reborn-${new Date().toISOString().slice(0, 10)}.jsonl"`);
    return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines));
  },
});
