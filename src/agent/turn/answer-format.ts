import { isObject } from '#domain/is-object.ts';
import { jsonOf } from '#domain/text/json.ts';
import { text } from '#domain/thread/item.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import type { PromptMessage } from '#models/model.ts';
import { findMisfit } from '#safety/json-schema/json-schema.ts';
import type { Owner } from '#store/connection.ts';

/** The model's answer does not have the format that the caller asked for. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput';

  constructor(problem: string) {
    super(`The model's answer did not have the requested format, and neither did its second answer: ${problem}.`);
  }
}

/** Why an answer does not have the format; undefined when it has. */
async function findFormatProblem(format: OutputFormat, answer: string, { userId }: Owner): Promise<string | undefined> {
  if (format.type === 'json_schema') return findMisfit(format.schema, answer, userId);
  return isObject(jsonOf(answer)) ? undefined : 'it is not a JSON object';
}

/** Why an answer without calls can't be used; undefined when it can. */
export async function findAnswerProblem(
  { mustCall, format }: Pick<TurnRequest, 'mustCall' | 'format'>,
  answer: string,
  owner: Owner,
): Promise<string | undefined> {
  if (mustCall) return 'it calls none of the tools, and the caller asks for a call';
  return format && findFormatProblem(format, answer, owner);
}

/** The end of a prompt that asks for another answer. It is not stored: an attempt after a crash asks from the start. */
export function askAgain(
  answer: string,
  problem: string,
  { mustCall }: Pick<TurnRequest, 'mustCall'>,
): PromptMessage[] {
  const request = `Your answer can't be used: ${problem}. ${mustCall ? 'Call a tool.' : 'Answer again, with JSON only.'}`;
  return [
    { role: 'assistant', text: answer, calls: [] },
    { role: 'user', content: [text(request)] },
  ];
}
