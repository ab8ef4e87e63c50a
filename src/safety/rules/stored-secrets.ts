import type { Rule } from '../rule.ts';

/** Values that are stored here, in any of their spellings, whoever came to know them. */
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

/** No tool is told a secret by the model: the host adds credentials itself, where nobody sees them. */
export const storedSecretArguments: Rule = {
  name: 'stored-secret-in-arguments',
  does: 'block',
  inspect: (text, facts) => storedSecrets.inspect(text, facts),
};
