import { InvalidRequest } from '#domain/errors.ts';

/** The hosts that may be called back, each with its port unless that is 443. */
export type CallbackRule = { readonly hosts: readonly string[] };

/** Refuses what can be checked now. The host's address is checked when it is called. */
export function checkCallbackUrl(given: string, rule: CallbackRule): string {
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' || url.username || url.password)
    throw new InvalidRequest(
      'invalid_request',
      'callback_url',
      'callback_url must be an https address without a password.',
    );
  if (!isCallbackAllowed(given, rule))
    throw new InvalidRequest(
      'invalid_request',
      'callback_url',
      `callback_url must not name the host ${url.host}. The operator lists the hosts in WEBHOOK_CALLBACK_HOSTS.`,
    );
  return url.href;
}

export function isCallbackAllowed(given: string, { hosts }: CallbackRule): boolean {
  return hosts.includes(URL.parse(given)?.host ?? '');
}
