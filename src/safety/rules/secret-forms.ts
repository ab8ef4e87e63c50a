import { lintSource } from '@secretlint/core';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Rule } from '../rule.ts';
import { redactRanges } from '../secrets/redact-ranges.ts';
import { findSecretForms, type Range } from '../secrets/secret-forms.ts';

/** What looks like a key, a token or a password, though it is none of ours. */
export const secretForms: Rule = {
  name: 'secret-form',
  does: 'redact',
  async inspect(text) {
    const ranges = [...findSecretForms(text), ...(await lint(text))];
    return redactRanges(text, ranges);
  },
};

/**
 * Without the rule about comments: by it a text could ask that nothing be found in it. The names of the rules are
 * secretlint's own.
 */
const RULES = rules
  .filter(({ meta }) => !meta.id.endsWith('filter-comments'))
  .map((rule) => ({ id: rule.meta.id, rule }));

async function lint(text: string): Promise<Range[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules: RULES }, noPhysicFilePath: true },
  });
  return messages.map(({ ruleId, range: [start, end] }) => ({ start, end, name: ruleId.replace(/^.*-rule-/, '') }));
}

/** It may be somebody's key that the model read on the way, or one that the user wants it to use: a person decides. */
export const secretFormArguments: Rule = {
  name: 'secret-form-in-arguments',
  does: 'ask',
  async inspect(text, facts) {
    const { times } = await secretForms.inspect(text, facts);
    return { times, text };
  },
};
