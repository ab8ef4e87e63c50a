import { z } from 'zod';
import type { StandingApprovals } from '#agent/gates/standing-approvals.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { situation } from './gate-shape.ts';

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
              situation: situation.describe('It applies in this situation and in weaker ones.'),
              mission_id: z.uuid().nullable().describe('The mission to whose runs it is limited.'),
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
      approvals: found.map((approval) => ({
        id: approval.id,
        user_id: approval.userId,
        tool: approval.tool,
        shape: approval.shape.split('\n'),
        situation: approval.situation,
        mission_id: approval.missionId,
        created_at: approval.createdAt.toISOString(),
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
