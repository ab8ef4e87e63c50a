import { z } from 'zod';
import type { StandingApprovals } from '#agent/gates/standing-approvals.ts';
import { SITUATIONS } from '#domain/thread/origin.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

type Services = { readonly approvals: StandingApprovals };

const approval = z.strictObject({
  id: z.uuid(),
  user_id: z.string(),
  tool: z.string(),
  shape: z.array(z.string()).describe('The arguments it covers, one line for each value.'),
  situation: z
    .enum(SITUATIONS)
    .describe(
      'How far it goes: only while the model has read nothing by others (`clean`), also after text by others (`foreign`), or also when it has read private data besides (`both`).',
    ),
  mission_id: z.uuid().nullable().describe('The mission to whose runs it is limited.'),
  mission_name: z
    .string()
    .nullable()
    .describe('The name of that mission; null when it was deleted, and for missions of other users.'),
  created_at: z.iso.datetime(),
});

const listApprovals = defineRoute({
  method: 'get',
  path: '/api/approvals',
  summary: 'List standing approvals.',
  responses: {
    200: {
      description: "The caller's standing approvals; for operators, everyone's.",
      json: z
        .strictObject({
          approvals: z.array(approval),
        })
        .meta({ id: 'ApprovalList' }),
    },
  },
  async handle({ principal }, { approvals }: Services) {
    const found = await approvals.list(principal);
    return {
      approvals: found.map((made) => renderAs(approval, made, { shape: made.shape.split('\n') })),
    };
  },
});

const revokeApproval = defineRoute({
  method: 'delete',
  path: '/api/approvals/{id}',
  summary: 'Revoke a standing approval. Such calls need approval again.',
  params: z.object({ id: z.string() }),
  responses: { 204: { description: 'The approval is revoked.' } },
  errors: [404],
  async handle({ principal, params }, { approvals }: Services) {
    await approvals.revoke(principal, params.id);
  },
});

export const approvalRoutes = [listApprovals, revokeApproval];
