import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Inspection, InspectTurn } from '#agent/inspection/inspect-turn.ts';
import { NotFound } from '#domain/errors.ts';
import { textOf } from '#domain/thread/item.ts';
import { placeOf } from '../chat/accepted-turn.ts';
import { renderItem, renderUsage } from './render-item.ts';
import type { turnInspection, wirePrompt, wireSummary } from './wire-turn.ts';

/** `GET /api/turns/{id}`: everything that is known of how a turn went. */
export function inspectRoute(inspect: InspectTurn) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: { id: string } }>('/turns/:id', async (request): Promise<z.infer<typeof turnInspection>> => {
      const { success, data: id } = z.uuid().safeParse(request.params.id);
      if (!success) throw new NotFound('There is no such turn.');
      return renderInspection(await inspect(request.principal, id));
    });
  };
}

function renderInspection(inspection: Inspection): z.infer<typeof turnInspection> {
  const { turn, gate } = inspection;
  return {
    id: turn.id,
    ...placeOf(turn),
    seq: turn.seq,
    status: turn.status,
    channel: turn.channel,
    model: turn.request.model,
    failure: turn.failure,
    usage: renderUsage(turn.usage),
    attempts: turn.attempt + 1,
    replica: inspection.runner,
    created_at: turn.createdAt.toISOString(),
    started_at: inspection.startedAt?.toISOString() ?? null,
    ended_at: turn.endedAt?.toISOString() ?? null,
    items: inspection.items.map(renderItem),
    spans: inspection.spans.map((span) => ({
      kind: span.kind,
      label: span.label,
      attempt: span.attempt,
      started_at: span.startedAt?.toISOString() ?? null,
      ended_at: span.endedAt?.toISOString() ?? null,
      item_ids: [...span.itemIds],
      usage: span.usage && renderUsage(span.usage),
    })),
    gate: gate
      ? {
          id: gate.id,
          kind: gate.kind,
          call: { call_id: gate.call.callId, name: gate.call.name, arguments: gate.call.arguments },
          created_at: gate.createdAt.toISOString(),
          answered_at: gate.answeredAt?.toISOString() ?? null,
        }
      : null,
    prompt: renderPrompt(inspection.prompt),
    summary: inspection.summary ? renderSummary(inspection.summary) : null,
    superseded: [...inspection.superseded],
  };
}

function renderSummary(summary: NonNullable<Inspection['summary']>): z.infer<typeof wireSummary> {
  return {
    text: summary.text,
    through_seq: summary.throughSeq,
    through_position: summary.throughPosition,
    turn_id: summary.turnId,
    provider: summary.provider,
    model: summary.model,
    usage: renderUsage(summary.usage),
    created_at: summary.createdAt.toISOString(),
  };
}

function renderPrompt(prompt: Inspection['prompt']): z.infer<typeof wirePrompt> {
  return {
    rebuilt: true,
    system: prompt.system,
    temperature: prompt.temperature,
    tools: prompt.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    messages: prompt.messages.map((message) => {
      if (message.role === 'assistant')
        return { role: message.role, text: message.text, calls: message.calls.map(renderCall) };
      if (message.role === 'tool') return { role: message.role, text: textOf(message.output), call_id: message.callId };
      return { role: message.role, text: textOf(message.content) };
    }),
  };
}

const renderCall = (call: { callId: string; name: string; arguments: string }) => ({
  call_id: call.callId,
  name: call.name,
  arguments: call.arguments,
});
