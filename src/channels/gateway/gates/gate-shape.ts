import { z } from 'zod';
import { withTemplates } from '#agent/gates/call-card.ts';
import type { ShownGate } from '#agent/gates/shown-gate.ts';
import { type Because, SITUATIONS, SOURCE_KINDS } from '#domain/thread/origin.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { CallCard } from '#domain/tool/call-card.ts';
import { callsOf, type NewGate } from '#domain/tool/gate.ts';
import type { Question } from '#domain/tool/question.ts';
import type { AddressQuestion } from '#domain/tool/read-so-far.ts';
import type { ToolCall } from '#domain/tool/tool.ts';
import { renderAs } from '#http/routes/render-as.ts';

const gateKind = z.enum(['external-tool', 'approval', 'auth', 'pairing', 'input']);

export const toolCall = z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() });

/** What the model had read when it made its calls. */
export const situation = z
  .enum(SITUATIONS)
  .describe('What the model had read: no text by others, some, or some together with private data.');

export const because = z
  .strictObject({
    kind: z.enum(SOURCE_KINDS),
    name: z.string().nullable().describe('The address of a page, or the name of a file, tool or server.'),
    foreign: z.boolean().describe('Others wrote it.'),
    private: z.boolean().describe('Only the person may see it.'),
    item_id: z.uuid().nullable().describe('The newest item that it comes from; null for a summary.'),
  })
  .meta({ id: 'ReadSource' });

const address = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('network'), hosts: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('research'), searches: z.int().min(0), pages: z.int().min(0) }),
    z.strictObject({ kind: z.literal('link'), site: z.string() }),
    z.strictObject({
      kind: z.literal('composed'),
      site: z.string(),
      shown: z.int().min(0).describe('How many characters of the address the model had read or was given.'),
    }),
    z.strictObject({ kind: z.literal('repeated'), site: z.string(), reason: z.enum(['many', 'again']) }),
  ])
  .nullable()
  .describe(
    'What is asked about the address that the call opens. `network`: the call can send data to these hosts. `research`: the approval starts research, with so many searches and pages until the next message of the person. `link`: it was shown, and the approval opens all shown links of this site until the next message of the person. `composed`: the agent has written it. `repeated`: many addresses were opened, or this one often.',
  );

const always = z
  .array(z.string())
  .optional()
  .describe(
    'The calls that `always` would approve: one line for each argument. Missing where `always` is not accepted.',
  );

const words = z.strictObject({ en: z.string(), de: z.string().optional(), nb: z.string().optional() });

export const callCard = z
  .strictObject({
    title: z.string().optional().describe('What the tool calls itself, if others wrote it.'),
    says: z.string().optional().describe('The first sentence of its description, if others wrote it.'),
    server: z.string().optional().describe('The MCP server that it belongs to.'),
    templates: z
      .array(
        z.strictObject({
          when: z
            .strictObject({ path: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) })
            .optional()
            .describe('Only for calls where this argument has this value.'),
          ask: words.describe('A question with arguments in braces.'),
          did: words.describe('The same when the call has run, with the verb between asterisks.'),
        }),
      )
      .optional()
      .describe('How a call reads, by language. The first one whose arguments the call has is used.'),
    fields: z
      .array(
        z.strictObject({
          path: z.string(),
          label: words,
          kind: z.enum(['text', 'exact', 'code', 'time']).optional(),
        }),
      )
      .optional()
      .describe('Labels of arguments. Keys of nested arguments are joined with dots.'),
    names: z
      .record(z.string(), z.string().nullable())
      .optional()
      .describe('Names of what arguments identify, by the argument. null: there is no such thing.'),
  })
  .optional()
  .describe('How the call reads on a card, besides its exact arguments.')
  .meta({ id: 'CallCard' });

/** An open gate, with what a person needs to know in order to answer it. */
export const openGate = z
  .strictObject({
    id: z.uuid(),
    user_id: z.string().describe('The owner of the thread.'),
    thread_id: z.uuid(),
    turn_id: z.uuid(),
    kind: gateKind,
    call: toolCall,
    calls: z
      .array(toolCall.extend({ address, always, card: callCard }))
      .describe('All calls of one answer that are approved or denied together. The first one is `call`.'),
    situation,
    because: z
      .array(because)
      .describe('What the model had read by others or of private data, the newest last: at most 20 sources.'),
    address,
    mission_id: z.uuid().nullable().describe('The mission whose run needs the approval.'),
    always,
    question: z
      .strictObject({
        message: z.string(),
        url: z.string().nullable().describe('An address that the person opens instead of filling in fields.'),
        fields: z.array(
          z.strictObject({
            name: z.string(),
            title: z.string(),
            description: z.string(),
            type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
            required: z.boolean(),
            options: z.array(z.strictObject({ value: z.string(), label: z.string() })),
            min: z.number().nullable(),
            max: z.number().nullable(),
          }),
        ),
      })
      .optional()
      .describe('Of a gate of the kind `input`: what an MCP server asks before it can finish the call.'),
    path: z
      .array(z.string())
      .optional()
      .describe('Of a gate of a subagent: the titles of the threads above it and its own title, the highest first.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'OpenGate' });

export function renderGate(gate: ShownGate): z.infer<typeof openGate> {
  return {
    ...renderNestedGate(gate, gate.acceptsAlways),
    user_id: gate.userId,
    thread_id: gate.threadId,
    turn_id: gate.turnId,
    ...(gate.acceptsAlways && { always: scopeOf(gate.call) }),
    ...(gate.question && { question: renderQuestion(gate.question) }),
    ...(gate.path && { path: [...gate.path] }),
    created_at: gate.createdAt.toISOString(),
  };
}

const renderQuestion = ({ message, url, fields }: Question) => ({
  message,
  url,
  fields: fields.map((field) => ({ ...field, options: [...field.options] })),
});

/** A gate inside an answer that already names its thread, turn and user. */
export const nestedGate = openGate.pick({
  id: true,
  kind: true,
  call: true,
  calls: true,
  situation: true,
  because: true,
  address: true,
  mission_id: true,
});

export function renderNestedGate(
  gate: Pick<NewGate, 'id' | 'kind' | 'call' | 'asked'>,
  acceptsAlways = false,
): z.infer<typeof nestedGate> {
  const { id, kind, call, asked } = gate;
  return {
    id,
    kind,
    call: renderToolCall(call),
    calls: callsOf(gate).map((each) => ({
      ...renderToolCall(each.call),
      address: renderAddress(each.address),
      ...(acceptsAlways && { always: scopeOf(each.call) }),
      ...renderCard(withTemplates(each.call.name, each.card)),
    })),
    situation: asked?.situation ?? 'clean',
    because: (asked?.because ?? []).map(renderBecause),
    address: renderAddress(asked?.address),
    mission_id: asked?.mission ?? null,
  };
}

/** Nothing if there is no card. */
export const renderCard = (shown: CallCard | undefined): { card?: z.infer<typeof callCard> } =>
  shown ? { card: structuredClone(shown) as z.infer<typeof callCard> } : {};

const renderAddress = (question: AddressQuestion | undefined): z.infer<typeof address> =>
  question?.kind === 'network' ? { ...question, hosts: [...question.hosts] } : (question ?? null);

export const renderBecause = (source: Because): z.infer<typeof because> =>
  renderAs(because, source, { foreign: source.foreign ?? false, private: source.private ?? false });

export const renderToolCall = (call: ToolCall): z.infer<typeof toolCall> => renderAs(toolCall, call);

const scopeOf = (call: ToolCall): string[] => shapeOf(call.arguments).split('\n');
