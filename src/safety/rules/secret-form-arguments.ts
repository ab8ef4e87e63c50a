import type { Rule } from '../rule.ts';
import { secretForms } from './secret-forms.ts';

/** It may be somebody's key that the model read on the way, or one that the user wants it to use: a person decides. */
export const secretFormArguments: Rule = {
  name: 'secret-form-in-arguments',
  does: 'ask',
  async inspect(text, facts) {
    const { times } = await secretForms.inspect(text, facts);
    return { times, text };
  },
};
