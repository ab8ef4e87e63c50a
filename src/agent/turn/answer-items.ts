import { type ItemId, newId } from '#domain/ids.ts';
import type { Citations } from '#domain/search/citations.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import type { ModelCall } from '#domain/spending.ts';
import { AttachmentUnavailable, isAttached } from '#domain/thread/attachment.ts';
import {
  type AttachedPart,
  type FunctionCallBody,
  type FunctionCallItem,
  mapParts,
  type NewItem,
  type OutputReads,
  type RanCode,
  text,
  type WrittenItem,
} from '#domain/thread/item.ts';
import type { SummaryReads } from '#domain/thread/origin.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf } from '#domain/thread/turn-event.ts';
import type { AllowedBy } from '#domain/tool/allowed-by.ts';
import type { DecidedAtGate } from '#domain/tool/call-decision.ts';
import type { NewVersion } from '#domain/workspace/version.ts';
import type { ModelAnswer } from '#models/model.ts';
import { type CallDecision, type DecisionFacts, decideCall } from '../gates/gates.ts';
import type { CheckedCall } from './safety.ts';
import { assistantMessage } from './spoken-message.ts';

/** The decision on a call, as taken when the call was written. */
export type DecidedCall = { readonly id: ItemId; readonly decision: CallDecision };

/** An answer without secrets. */
export type CheckedAnswer = Omit<ModelAnswer, 'calls'> &
  Required<Pick<ModelAnswer, 'reasoning'>> & {
    readonly calls: readonly CheckedCall[];
  };

/** `toldByOthers`: the prompt had instructions by another person. */
type AnswerExtras = {
  readonly citations?: Citations | undefined;
  readonly reads?: SummaryReads | undefined;
  readonly toldByOthers?: boolean;
};

/** The items of an answer. Writing them also starts the first call, unless a gate stops it. */
export async function toItems(
  answer: CheckedAnswer,
  by: ModelCall,
  messageId: ItemId,
  turn: Turn,
  facts: DecisionFacts,
  { citations, reads, toldByOthers = false }: AnswerExtras = {},
): Promise<{ items: WrittenItem[]; first: DecidedCall | undefined }> {
  const { tools } = facts;
  const told = toldByOthers ? ({ toldByOthers } as const) : {};
  const { beforeText, beforeCalls } = answer.reasoning;
  const status = answer.finish === 'length' ? 'incomplete' : 'completed';
  const isCommentary = turn.request.format !== undefined && answer.calls.length > 0;
  const said =
    answer.text || answer.calls.length === 0
      ? [
          plain({
            ...assistantMessage(messageId, answer.text, status, answer.text ? beforeText : beforeCalls),
            ...(isCommentary && { phase: 'commentary' }),
            ...(citations && { citations }),
            ...told,
            ...(reads && { reads }),
          }),
        ]
      : [];
  const calls = answer.calls.map((call, index): NewItem & FunctionCallBody => {
    const own = tools.find(call.name) !== undefined;
    const wanted = turn.request.tools.find(({ name }) => name === call.name);
    const external = !own && !call.blocked && wanted !== undefined;
    return {
      id: newId(),
      type: 'function_call',
      ...call,
      external,
      ...told,
      ...(external && wanted.namespace !== undefined && { namespace: wanted.namespace }),
      ...thoughtsOf(answer, by, index),
      ...(index === 0 && beforeCalls.length > 0 && { reasoning: beforeCalls }),
    };
  });
  const [first, ...others] = calls;
  const decision = first && (await decideCall(callOf(first), { ...facts, callsAfter: () => others.map(callOf) }));
  const started = decision?.kind === 'allowed' && decision.tool !== undefined;
  const items = [...said, ...(first ? [{ ...plain(first), started }] : []), ...others.map(plain)].map((item, index) =>
    index === 0 ? { ...item, usage: answer.usage } : item,
  );
  return { items, first: first && decision && { id: first.id, decision } };
}

/** The first call has the thoughts, and each call what the provider attached to it. */
function thoughtsOf(
  { thoughts, calls }: CheckedAnswer,
  { provider, model }: ModelCall,
  index: number,
): Pick<FunctionCallBody, 'thoughts'> {
  const parts = index === 0 ? (thoughts?.parts ?? []) : [];
  const call = thoughts?.calls.get(calls[index]?.callId ?? '');
  if (parts.length === 0 && call === undefined) return {};
  return { thoughts: { provider, model, parts, ...(call && { call }) } };
}

/** `reads` is empty for what the service itself says about a call. */
type OutputExtras = {
  readonly reads?: OutputReads;
  readonly ran?: RanCode | undefined;
  readonly allowedBy?: AllowedBy | undefined;
  readonly decided?: DecidedAtGate | undefined;
  readonly costUsd?: number | null | undefined;
  readonly files?: readonly AttachedPart[];
  readonly version?: NewVersion | undefined;
  readonly sources?: readonly NumberedSource[];
};

export function outputOf(
  { callId }: FunctionCallItem,
  output: string,
  { reads = {}, ran, allowedBy, decided, costUsd, files = [], version, sources = [] }: OutputExtras = {},
): WrittenItem {
  const item = plain({
    id: newId(),
    type: 'function_call_output',
    callId,
    output: [text(output), ...files],
    reads,
    ...(ran && { ran }),
    ...(allowedBy && { allowedBy }),
    ...(decided && { decided }),
    ...(costUsd !== undefined && { costUsd }),
  });
  return { ...item, ...(version && { version }), ...(sources.length > 0 && { sources }) };
}

/** The output with its files stored apart. It counts even if they can't be stored: the call has run. */
export async function keepFiles(output: WrittenItem, keep: KeepItems): Promise<WrittenItem> {
  try {
    const [kept = output] = await keep([output]);
    return kept;
  } catch (error) {
    if (!(error instanceof AttachmentUnavailable)) throw error;
    return mapParts(output, (part) => (isAttached(part) ? text('[A file could not be stored.]') : part));
  }
}

type KeepItems = (items: readonly WrittenItem[]) => Promise<readonly WrittenItem[]>;

export const plain = (item: NewItem): WrittenItem => ({ ...item, usage: null, started: false });
