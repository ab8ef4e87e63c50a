import { z } from 'zod';
import type { Threads } from '#agent/threads/threads.ts';
import type { ItemId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { openGate, renderGate } from '../gates/gate-shape.ts';
import { threadParams } from './thread-shape.ts';

const node = z
  .strictObject({
    call: z.uuid().describe('The item of the call that it belongs to.'),
    parent_id: z.uuid().describe('The thread of that call.'),
    thread_id: z.uuid().describe('The thread that it works in.'),
    depth: z.int().min(1).describe('1 for a subagent of a thread that belongs to none.'),
    task: z.string().describe('The beginning of its task.'),
    state: z.enum(['active', 'waiting', 'ended']).describe('`waiting`: for a person, at its gate.'),
    outcome: z.enum(['completed', 'incomplete', 'failed', 'cancelled', 'deleted']).nullable(),
    gate: openGate.nullable().describe('What it waits for. It is answered like every gate.'),
    tokens_limit: z.number(),
    tokens: z.number().describe('What it has used. Those below it are included when it has ended.'),
    usd: z.number(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'TreeNode' });

type Services = { readonly threads: Threads };

const getTree = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/tree',
  summary: 'List the subagents below a thread, each after the one above it.',
  params: threadParams,
  responses: {
    200: {
      description: 'The subagents, in the order of their start.',
      json: z.strictObject({ nodes: z.array(node) }).meta({ id: 'ThreadTree' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { threads }: Services) {
    const nodes = await threads.tree(principal, id);
    return { nodes: nodes.map((each) => renderAs(node, each, { gate: each.gate && renderGate(each.gate) })) };
  },
});

const stopSubagent = defineRoute({
  method: 'post',
  path: '/api/subagents/{call}/stop',
  summary: 'Stop a subagent, and all subagents below it.',
  params: z.object({ call: uuid<ItemId>('This subagent does not exist.') }),
  responses: { 204: { description: 'It stops, or has ended before.' } },
  errors: [404],
  async handle({ principal, params: { call } }, { threads }: Services) {
    await threads.stopChild(principal, call);
  },
});

export const treeRoutes = [getTree, stopSubagent];
