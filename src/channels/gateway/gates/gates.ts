import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { GateAnswer } from '#agent/gates/answer-gate.ts';
import { NotFound } from '#domain/errors.ts';
import { isUuid } from '#domain/ids.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { acceptedTurn } from '../chat/accepted-turn.ts';
import type { chatAccepted } from '../chat/wire-chat.ts';
import { renderGate } from './render-gate.ts';
import { gateAnswer, type gateList, gatesQuery } from './wire-gates.ts';

/** `GET /api/gates`: what waits for an answer. `POST /api/gates/{id}`: the answer, which starts the thread's next turn. */
export function gatesRoute(agent: Agent) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/gates', async (request): Promise<z.infer<typeof gateList>> => {
      const { limit, cursor } = parseBody(gatesQuery, request.query);
      const found = await agent.listGates(request.principal, { ...(cursor && { before: cursor }), limit: limit + 1 });
      const page = found.slice(0, limit);
      return { gates: page.map(renderGate), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    });

    app.post<{ Params: { id: string } }>(
      '/gates/:id',
      async (request, reply): Promise<z.infer<typeof chatAccepted>> => {
        const answer = toAnswer(parseBody(gateAnswer, request.body));
        if (!isUuid(request.params.id)) throw new NotFound('There is no such gate.');
        const turn = await agent.answerGate(request.principal, request.params.id, answer);
        reply.code(202);
        return acceptedTurn(turn);
      },
    );
  };
}

export function toAnswer({ answer, reason, user_id: userId }: z.infer<typeof gateAnswer>): GateAnswer {
  if (answer === 'deny') return { kind: 'deny', reason: reason ?? '' };
  return answer === 'always' ? { kind: 'always' } : { kind: 'approve', ...(userId && { userId }) };
}
