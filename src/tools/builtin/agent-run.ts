import { z } from 'zod';
import { AGENT_RUN } from '#domain/delegation/delegation.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { Tool } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

const parameters = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .regex(/^[^\0]*$/)
    .describe('What it is to do and to report. It must make sense without this conversation.'),
  assistant: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('The name of the assistant that does it, if the user wants one. Without it, the one that answers here.'),
  budget: z.int().min(1).optional().describe('The most tokens that it may use.'),
});

export type Task = z.infer<typeof parameters>;

/** The task of a call, or what is wrong with its arguments. */
export const parseTask = (argumentsJson: string) => parseArguments(parameters, argumentsJson);

/**
 * Starts a subagent. A turn does that itself, because its call has an output only when the child has ended. A child acts with the
 * rights of the person and asks as its parent would, so starting it needs no approval.
 */
export const agentRunTool = (): Tool => ({
  definition: {
    name: AGENT_RUN,
    description:
      'Gives a task to a subagent, which works in its own thread with your tools, and returns its report. Divide a large task: several calls in one answer run at the same time. A subagent knows nothing but its task.',
    parameters: shortSchemaOf(parameters),
    strict: null,
  },
  repeatable: true,
  level: 'allow',
  flow: { reads: FOREIGN_AND_PRIVATE, runs: 'always', inert: true },
  delegates: true,
  call: async () => 'Not run: subagents work for turns of a thread only.',
});
