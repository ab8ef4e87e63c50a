import type { Rule } from '../rule.ts';

/** Stored values, in any of their encodings. */
export const storedSecrets: Rule = {
  name: 'stored-secret',
  does: 'redact',
  inspect(text, { search }) {
    const { bytes, found } = search.redact(Buffer.from(text));
    return found.length === 0
      ? { times: 0, text }
      : { times: found.length, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() };
  },
};

/** The model never passes secrets to a tool: the host adds credentials itself, where neither can see them. */
export const storedSecretArguments: Rule = {
  name: 'stored-secret-in-arguments',
  does: 'block',
  inspect: (text, facts) => storedSecrets.inspect(text, facts),
};
