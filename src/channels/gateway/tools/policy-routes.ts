import { z } from 'zod';
import type { ToolPolicies } from '#agent/gates/policy-settings.ts';
import { NotFound } from '#domain/errors.ts';
import { SITUATIONS } from '#domain/thread/origin.ts';
import { TOOL_LEVELS } from '#domain/tool/tool.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly policies: ToolPolicies };

const after = z
  .enum(SITUATIONS)
  .describe(
    'How far `allow` goes: only while the model has read nothing by others (`clean`), also after text by others (`foreign`), or also when it has read private data besides (`both`).',
  );

const policy = z
  .strictObject({
    tool: z
      .string()
      .describe(
        'The name of the tool. `name@user` forbids a tool to one user, in whose call it tried to send a secret.',
      ),
    level: z
      .enum(TOOL_LEVELS)
      .describe('`allow`: calls run at once. `ask`: each call needs approval. `never`: no call runs.'),
    after,
  })
  .meta({ id: 'ToolPolicy' });

const listPolicies = defineRoute({
  method: 'get',
  path: '/api/tool-policies',
  summary: 'List the policies of tools.',
  access: 'operator',
  responses: {
    200: {
      description: 'The tools whose own level does not apply.',
      json: z.strictObject({ policies: z.array(policy) }).meta({ id: 'ToolPolicyList' }),
    },
  },
  async handle(_call, { policies }: Services) {
    return { policies: await policies.list() };
  },
});

const putPolicy = defineRoute({
  method: 'put',
  path: '/api/tool-policies/{tool}',
  summary: "Set the policy of a tool. It overrides the tool's own level, and standing approvals.",
  access: 'operator',
  params: z.object({ tool: z.string().regex(/^[\w.-]{1,128}$/, 'This tool does not exist.') }),
  body: z
    .strictObject({
      level: z.enum(TOOL_LEVELS),
      after: after.optional().describe('`clean` when left out.'),
      not_yet: z
        .boolean('not_yet must be true or false.')
        .default(false)
        .describe('The tool is installed later. Otherwise a tool that does not exist is refused.'),
    })
    .meta({ id: 'ToolPolicyChange' }),
  responses: { 200: { description: 'The policy, which applies from the next call on.', json: policy } },
  errors: [400, 404, 413],
  async handle({ principal, params: { tool }, body }, { policies }: Services) {
    const set = { tool, level: body.level, after: body.after ?? 'clean' };
    await policies.set(principal.userId, set, { notYet: body.not_yet });
    return set;
  },
});

const deletePolicy = defineRoute({
  method: 'delete',
  path: '/api/tool-policies/{tool}',
  summary: "Remove the policy of a tool. The tool's own level applies again.",
  access: 'operator',
  params: z.object({ tool: z.string().max(300, 'No policy is set for this tool.') }),
  responses: { 204: { description: 'The policy is removed.' } },
  errors: [404],
  async handle({ principal, params: { tool } }, { policies }: Services) {
    if (!(await policies.unset(principal.userId, tool))) throw new NotFound('No policy is set for this tool.');
  },
});

export const policyRoutes = [listPolicies, putPolicy, deletePolicy];
