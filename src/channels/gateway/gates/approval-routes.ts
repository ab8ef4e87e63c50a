import { z } from 'zod';
import type { StandingApprovals } from '#agent/gates/standing-approvals.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly approvals: StandingApprovals };

const listApprovals = defineRoute({
  method: 'get',
  path: '/api/approvals',
  summary: 'List standing approvals.',
  responses: {
    200: {
      description: "The caller's standing approvals; for operators, everyone's.",
      json: z
        .strictObject({
          approvals: z.array(
            z.strictObject({
              id: z.uuid(),
              user_id: z.string(),
              tool: z.string(),
              shape: z.array(z.string()).describe('The arguments it covers, one line for each value.'),
              created_at: z.iso.datetime(),
            }),
          ),
        })
        .meta({ id: 'ApprovalList' }),
    },
  },
  async handle({ principal }, { approvals }: Services) {
    const found = await approvals.list(principal);
    return {
      approvals: found.map(({ id, userId, tool, shape, createdAt }) => ({
        id,
        user_id: userId,
        tool,
        shape: shape.split('\n'),
        created_at: createdAt.toISOString(),
      })),
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
