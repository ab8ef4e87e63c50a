import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { NotFound } from '#domain/errors.ts';
import { parseBody } from '#http/parse-body.ts';
import { acceptedTurn } from './accepted-turn.ts';
import type { chatAccepted } from './wire-chat.ts';
import { gateAnswer } from './wire-gates.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `POST /api/gates/{id}`: what a thread has waited for. The answer starts its next turn. */
export function gatesRoute(agent: Agent) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post<{ Params: { id: string } }>(
      '/gates/:id',
      async (request, reply): Promise<z.infer<typeof chatAccepted>> => {
        const { answer, reason } = parseBody(gateAnswer, request.body);
        if (!UUID.test(request.params.id)) throw new NotFound('There is no such gate.');
        const turn = await agent.answerGate(
          request.principal,
          request.params.id,
          answer === 'approve' ? { kind: 'approve' } : { kind: 'deny', reason: reason ?? '' },
        );
        reply.code(202);
        return acceptedTurn(turn);
      },
    );
  };
}
