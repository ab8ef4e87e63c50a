import type { Rule } from '../rule.ts';

/** Long runs of base64 or hexadecimal digits, which can carry out data in unreadable form. Files are sent this way, too. */
export const longEncoding: Rule = {
  name: 'long-encoding-in-arguments',
  does: 'warn',
  inspect(text) {
    return { times: text.match(RUN)?.length ?? 0, text };
  },
};

const RUN = /[A-Za-z0-9+/_=-]{400,}/g;
