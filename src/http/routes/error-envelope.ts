import { z } from 'zod';

/** The error envelope of all interfaces, with the codes of each type. */
export const errorEnvelope = z
  .strictObject({
    error: z.discriminatedUnion('type', [
      errorOf('invalid_request_error', [
        'invalid_request',
        'key_refused',
        'provider_unreachable',
        'invalid_tool',
        'no_pending_call',
        'call_id_mismatch',
        'tool_output_missing',
        'previous_response_not_found',
        'body_too_large',
      ]),
      errorOf('authentication_error', ['invalid_secret']),
      errorOf('permission_error', ['operator_only', 'cross_site', 'unknown_host', 'sharing_off']),
      errorOf('not_found_error', ['not_found']),
      errorOf('conflict_error', [
        'idempotency_mismatch',
        'thread_busy',
        'thread_full',
        'already_exists',
        'nothing_to_compact',
        'last_operator',
        'signed_in',
      ]),
      errorOf('rate_limit_error', ['rate_limited']),
      errorOf('server_error', ['internal_error', 'attachment_unavailable']),
    ]),
  })
  .meta({ id: 'Error' });

function errorOf<T extends string, const C extends string>(type: T, codes: readonly C[]) {
  return z.strictObject({
    message: z.string().min(1).describe('What is wrong, and what to do about it.'),
    type: z.literal(type),
    code: z.enum(codes),
    param: z.string().min(1).nullable().describe('The field that is wrong, or null when it is the whole request.'),
    values: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe("The values of the code's sentence, such as a name or a limit, for a client with its own texts."),
  });
}
