const STRICT = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"].join('; ');

/** On every answer. A page that needs more of the browser sets a policy of its own. */
export function securityHeaders(https: boolean): Record<string, string> {
  return {
    'content-security-policy': STRICT,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(https && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
