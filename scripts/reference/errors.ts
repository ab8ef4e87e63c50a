import type { z } from 'zod';
import { Conflict, Forbidden, InvalidRequest, InvalidSecret, NotFound, RateLimited } from '#domain/errors.ts';
import type { JobFailure } from '#domain/thread/job.ts';
import type { errorEnvelope } from '#http/routes/error-envelope.ts';
import { toEnvelope } from '#http/routes/errors.ts';
import { code, table } from './markdown.ts';

/** The page about everything that can go wrong, and what to do then. */
export function errorsPage(): string {
  return `# Error codes

Written by \`npm run reference\`; the compiler sees to it that no code is missing.

## Refused requests

Every error is \`{"error": {"message", "type", "code", "param"}}\`. The message says what to change, and \`param\` which field
is wrong. Quote the header \`X-Request-Id\` when you report a problem. Two answers are plain text instead: 401 and 503 of the
gateway, before anything is read ([who may ask](../sign-in.md#what-is-answered)).

${table([['status', 'type', 'code', 'what to do'], ...refusals()])}

## Failed turns

A turn that fails is no HTTP error. On the Responses API it is 200 with \`"status": "failed"\` and an \`error\` that has one of
these codes; a webhook job is then \`completed\` with an \`error\`.

${table([['code', 'when', 'what to do'], ...Object.entries(FAILURES).map(([name, texts]) => [code(name), ...texts])])}
`;
}

type Envelope = z.infer<typeof errorEnvelope>;
type Code = Envelope['error']['code'];

function refusals(): string[][] {
  return Object.entries(REFUSALS).map(([name, { error, advice }]) => {
    const { status, body } = toEnvelope(error, 'id');
    if (body.error.code !== name) throw new Error(`${name} comes out as ${body.error.code}.`);
    return [String(status), code(body.error.type), code(name), advice];
  });
}

type Refusal = { readonly error: Error; readonly advice: string };

const REFUSALS: Readonly<Record<Code, Refusal>> = {
  invalid_request: {
    error: new InvalidRequest('invalid_request', null, ''),
    advice: 'Mend the field that `param` names. Trying again will not help.',
  },
  invalid_tool: {
    error: new InvalidRequest('invalid_tool', null, ''),
    advice: 'Mend the definition of your tool, or choose a name that the agent does not have itself.',
  },
  no_pending_call: {
    error: new InvalidRequest('no_pending_call', null, ''),
    advice: 'No call waits for an output: it was answered already, or never made.',
  },
  call_id_mismatch: {
    error: new InvalidRequest('call_id_mismatch', null, ''),
    advice: 'Send the output of the call that waits; the message names its `call_id`.',
  },
  tool_output_missing: {
    error: new InvalidRequest('tool_output_missing', null, ''),
    advice: 'The thread waits for the output of a call: send that first.',
  },
  previous_response_not_found: {
    error: new InvalidRequest('previous_response_not_found', null, ''),
    advice: 'Send the id as it came: this is not the id of a response at all.',
  },
  body_too_large: {
    error: Object.assign(new Error(), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }),
    advice: 'Send less: 14 MiB on the gateway, 64 KiB on the webhook channel.',
  },
  invalid_secret: {
    error: new InvalidSecret(),
    advice: 'Check the secret or the signature of the webhook. Wrong ones count against the rate, too.',
  },
  operator_only: {
    error: new Forbidden('operator_only', ''),
    advice: "Ask with an operator's token.",
  },
  unknown_host: {
    error: new Forbidden('unknown_host', ''),
    advice: 'Use a name that the service knows, or let the operator set `PUBLIC_URL` or `GATEWAY_ALLOWED_HOSTS`.',
  },
  cross_site: {
    error: new Forbidden('cross_site', ''),
    advice: 'A browser session may change things from our own pages only; programs use a bearer token.',
  },
  not_found: {
    error: new NotFound(),
    advice: "Check the address. What is somebody else's looks the same.",
  },
  idempotency_mismatch: {
    error: new Conflict('idempotency_mismatch', ''),
    advice: 'The key was used with another body: use a new key for a new message.',
  },
  thread_busy: {
    error: new Conflict('thread_busy', ''),
    advice: 'Sixteen messages wait in this thread already. Try again when some are answered.',
  },
  thread_full: {
    error: new Conflict('thread_full', ''),
    advice: 'This thread holds 256 MiB, which is as much as one can. Begin a new one.',
  },
  already_exists: {
    error: new Conflict('already_exists', ''),
    advice: 'Choose another name, or change what is there.',
  },
  rate_limited: {
    error: new RateLimited(1, ''),
    advice: 'Wait as many seconds as the header `Retry-After` says.',
  },
  internal_error: {
    error: new Error(),
    advice: 'A fault of ours. Try again with the same `Idempotency-Key`; report it with the request id.',
  },
};

const FAILURES: Readonly<Record<JobFailure['code'], readonly [when: string, advice: string]>> = {
  model_error: ['The model refused, broke off or could not be reached.', 'Read the message; send the input again.'],
  model_not_configured: ['No such model, or no key for it.', 'Set it up with `reborn init`.'],
  tool_error: ['A tool broke in a way that the model could not be told.', 'Look at the log.'],
  turn_timeout: ['It took longer than `RESPONSES_TIMEOUT_SECS`.', 'Stream it, or ask in the background.'],
  approval_required: ['The thread waits for an approval.', 'Answer the [gate](../approvals.md#answering).'],
  authentication_required: ['A tool waits for a sign-in.', 'Sign in at the address in the message.'],
  pairing_required: ['A webhook user waits to be paired.', 'The operator [pairs](../approvals.md#pairing) them.'],
  tool_output_missing: ["The thread waits for your own tool's output.", 'Send a `function_call_output` first.'],
  previous_response_not_found: [
    'The previous response is unknown, or of somebody else.',
    'Check the id, or leave it out.',
  ],
  max_rounds: ['The model called tools too many times for one input.', 'Ask for less at a time.'],
  budget_exceeded: ['The user has spent what the day allows.', 'Wait until 00:00 UTC, or raise the limit.'],
  interrupted: ['Three processes in a row died while they ran it.', 'Send it again if its effects allow it.'],
  internal_error: [
    'The service failed three times while it worked on it.',
    'A fault of ours. Report it with the turn id.',
  ],
  cancelled: ['Somebody cancelled it (webhook jobs only).', 'Send it again if it was a mistake.'],
};
