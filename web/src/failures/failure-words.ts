import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { Failure, FailureDetails, TurnFailure } from '@reborn-agent/client/api';
import { formatDollars, formatNumber } from '../format/number.ts';
import { formatMoment, formatTime, isSameDay } from '../format/time.ts';

/** What happened, and what is kept or can be done. */
export type Sentences = { readonly fact: string; readonly next?: string };

/** Why a turn failed, in the language of the page. */
export function sentencesOf({ code, message, details }: TurnFailure): Sentences {
  if (details) return detailSentences(details);
  // Without a catalogue, all texts are English. The message of the service is more exact than a sentence for the code.
  if (i18n.locale === 'en' || i18n.locale === '') return { fact: message };
  return { fact: read(codeSentences(message), code) ?? generalSentence(code) };
}

/** Both sentences in one line. */
export function wordsOfFailure(failure: TurnFailure): string {
  const { fact, next } = sentencesOf(failure);
  return next === undefined ? fact : `${fact} ${next}`;
}

function detailSentences(details: FailureDetails): Sentences {
  const sentence = read(SENTENCES, details.code) as ((values: object) => Sentences) | undefined;
  return sentence?.(details.values) ?? { fact: generalSentence(details.code) };
}

/** A newer service may have codes that this page does not know. */
const generalSentence = (code: string) => t`It did not work, for a reason that this page does not know (${code}).`;

function read<T>(sentences: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(sentences, code) ? sentences[code] : undefined;
}

const kept = () => t`The message is kept.`;

const SENTENCES: { readonly [D in FailureDetails as D['code']]: (values: D['values']) => Sentences } = {
  'model.key_refused': ({ provider }) => ({ fact: t`${provider} refused the key.`, next: kept() }),
  'model.no_credit': ({ provider }) => ({ fact: t`The account at ${provider} has no credit left.`, next: kept() }),
  'model.busy': ({ provider }) => ({ fact: t`${provider} is busy.`, next: kept() }),
  'model.unreachable': ({ host }) => ({ fact: t`${host} does not answer. Is it running?`, next: kept() }),
  'model.not_found': ({ provider, model }) => ({ fact: t`${provider} has no model “${model}”.`, next: kept() }),
  'model.too_long': ({ model }) => ({
    fact: t`This thread is too long for ${model}.`,
    next: kept(),
  }),
  'model.broken': ({ provider, status }) => ({ fact: t`${provider} had an error (${status}).`, next: kept() }),
  'model.broke_off': ({ model }) => ({ fact: t`The answer of ${model} broke off.`, next: kept() }),
  'model.filtered': ({ provider }) => ({ fact: t`A filter of ${provider} stopped the answer.`, next: kept() }),
  'model.refused': ({ provider, said }) => ({ fact: t`${provider} refused the request.`, next: t`It says: “${said}”` }),
  'limit.day': ({ used, limit, unit, resets }) => ({
    fact: limitOfDay(amountOf(used, unit), amountOf(limit, unit), unit),
    next: startsAgain(resets),
  }),
  'limit.run': ({ limit, unit }) => ({ fact: limitOfRun(amountOf(limit, unit), unit) }),
  'limit.work_run': ({ name, limit, unit }) => ({ fact: limitOfWork(name, amountOf(limit, unit), unit) }),
  'limit.work_day': ({ name, limit, unit, resets }) => ({
    fact: limitOfWorkDay(name, amountOf(limit, unit), unit),
    next: startsAgain(resets),
  }),
  'tool.failed': ({ tool }) => ({ fact: t`“${tool}” could not be run.`, next: kept() }),
};

type Unit = 'tokens' | 'usd';

const amountOf = (amount: number, unit: Unit) => (unit === 'usd' ? formatDollars(amount) : formatNumber(amount));

const limitOfDay = (used: string, limit: string, unit: Unit) =>
  unit === 'usd'
    ? t`Your limit of today is reached: ${used} of ${limit}.`
    : t`Your limit of today is reached: ${used} of ${limit} tokens.`;

const limitOfRun = (limit: string, unit: Unit) =>
  unit === 'usd'
    ? t`The ${limit} that a run of this mission may cost are used up.`
    : t`The ${limit} tokens that a run of this mission may use are used up.`;

const limitOfWork = (name: string, limit: string, unit: Unit) =>
  unit === 'usd'
    ? t`The ${limit} that “${name}” may cost for one message are used up.`
    : t`The ${limit} tokens that “${name}” may use for one message are used up.`;

const limitOfWorkDay = (name: string, limit: string, unit: Unit) =>
  unit === 'usd'
    ? t`The ${limit} that “${name}” may cost you in a day are used up.`
    : t`The ${limit} tokens that “${name}” may use for you in a day are used up.`;

function startsAgain(resets: string): string {
  const [time, moment] = [formatTime(resets), formatMoment(resets)];
  return isSameDay(new Date(resets), new Date()) ? t`It starts again at ${time}.` : t`It starts again on ${moment}.`;
}

/** For failures without details. `said`: the English message. */
const codeSentences = (said: string): Readonly<Record<Failure['code'] | 'cancelled', string>> => ({
  approval_required: t`The thread waits for an approval. Answer that first.`,
  attachment_unavailable: t`An image or a file can't be read. Try again later, or send it again.`,
  authentication_required: t`The thread waits for a sign-in. Finish that first.`,
  budget_exceeded: t`A spending limit is reached.`,
  cancelled: t`It was stopped.`,
  input_required: t`The thread waits for the answer to a question. Answer that first.`,
  internal_error: t`The service made an error. Try again; if that does not help, look into its log.`,
  interrupted: t`The turn was interrupted too often. Try again.`,
  invalid_output: t`The answer does not have the form that was asked for.`,
  max_rounds: t`The agent called tools too often without an answer. Divide the task, or try again.`,
  model_error: t`The model failed. The service says: “${said}”`,
  model_not_configured: t`No model is set up. An operator can do that under Settings, Models.`,
  pairing_required: t`The thread waits to be paired with a user. Do that first.`,
  previous_response_not_found: t`What this refers to does not exist any more.`,
  tool_error: t`A tool failed. The service says: “${said}”`,
  tool_output_missing: t`The thread waits for the result of a tool. Send that first.`,
  turn_timeout: t`The turn took too long, and was stopped. Divide the task, or try again.`,
});
