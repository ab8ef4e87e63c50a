import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BudgetExceeded } from '#agent/spending/budget.ts';
import type { Embeddings } from '#agent/spending/embeddings.ts';
import { EmbeddingFailure } from '#domain/embedder.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import { hangUp, whileConnected } from '#http/server/connected.ts';
import { failedTurn, statusOf, toError } from '../../model-api/failed-turn.ts';

export type EmbeddingServices = {
  readonly embeddings: Embeddings;
  readonly limiter: Limiter;
  readonly timeoutSeconds: number;
};

const MAX_TEXTS = 2048;
const WANTS_TEXTS = `input must be a text, or an array of 1 to ${MAX_TEXTS} texts. None may be empty.`;

const text = z.string(WANTS_TEXTS).min(1, WANTS_TEXTS);

const embeddingRequest = z
  .looseObject({
    model: z.string('model is required and must be a string.').describe('Ignored: the operator chooses the model.'),
    input: z.union([text, z.array(text, WANTS_TEXTS).min(1, WANTS_TEXTS).max(MAX_TEXTS, WANTS_TEXTS)], WANTS_TEXTS),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('`base64`: the bytes of 32-bit floats, the lowest byte first.'),
    dimensions: z.null('dimensions is not supported. Leave it out: the model has one size.').optional(),
  })
  .meta({ id: 'CreateEmbeddings', description: 'Unknown fields are ignored.' });

const embeddingList = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(
      z.strictObject({
        object: z.literal('embedding'),
        index: z.int().min(0),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.strictObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
  })
  .meta({ id: 'EmbeddingList' });

export const createEmbeddingList = defineRoute({
  method: 'post',
  path: '/api/v1/embeddings',
  summary: 'Turn texts into vectors, with the embedding model of the service.',
  body: embeddingRequest,
  freeFields: ['input'],
  responses: {
    200: { description: 'One vector per text, in their order.', json: embeddingList },
    400: { description: 'The request is invalid, or the model failed.', json: z.union([errorEnvelope, failedTurn]) },
    403: { description: 'The user has spent the budget.', json: z.union([errorEnvelope, failedTurn]) },
  },
  errors: [404, 413, 429],
  before: (request: FastifyRequest, { limiter }: EmbeddingServices) => limitSends(limiter)(request),
  async handle({ principal, body, request, reply }, { embeddings, timeoutSeconds }: EmbeddingServices) {
    const connected = whileConnected(request, reply);
    const late = AbortSignal.timeout(timeoutSeconds * 1000);
    try {
      const signal = AbortSignal.any([connected, late]);
      const { model, vectors, tokens } = await embeddings.embed(principal, [body.input].flat(), signal);
      const render = body.encoding_format === 'base64' ? toBase64 : (vector: number[]) => vector;
      return {
        object: 'list' as const,
        data: vectors.map((vector, index) => ({
          object: 'embedding' as const,
          index,
          embedding: render(vector),
        })),
        model,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    } catch (error) {
      if (connected.aborted) return hangUp(reply);
      const failure = failureOf(error, late);
      if (!failure) throw error;
      return reply.code(statusOf(failure)).send(failure);
    }
  },
});

/** Clients retry no 4xx by themselves, and the call may have cost something. */
function failureOf(error: unknown, late: AbortSignal) {
  if (error instanceof BudgetExceeded) return toError('budget_exceeded', error.message);
  if (late.aborted) return toError('turn_timeout', 'The embedding model took too long. Send fewer texts at once.');
  if (error instanceof EmbeddingFailure && error.refused)
    throw new InvalidRequest('invalid_request', 'input', error.message);
  return error instanceof EmbeddingFailure ? toError('model_error', error.message) : undefined;
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
