import type { Rule } from '../rule.ts';
import { storedSecrets } from './stored-secrets.ts';

/** No tool is told a secret by the model: the host adds credentials itself, where nobody sees them. */
export const storedSecretArguments: Rule = {
  name: 'stored-secret-in-arguments',
  does: 'block',
  inspect: (text, facts) => storedSecrets.inspect(text, facts),
};
