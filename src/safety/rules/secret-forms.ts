import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Rule } from '../rule.ts';
import { redactRanges } from '../secrets/redact-ranges.ts';
import { findSecretForms, type Range } from '../secrets/secret-forms.ts';

secretLintProfiler.setEnabled(false); // it would keep the times of every inspection

/** Text that looks like a key, a token or a password, but is not a stored secret. */
export const secretForms: Rule = {
  name: 'secret-form',
  does: 'redact',
  async inspect(text) {
    const ranges = [...findSecretForms(text), ...(await lint(text))];
    return redactRanges(text, ranges);
  },
};

/**
 * Without the rule about comments, because with it a text could disable its own inspection. The rule names are
 * secretlint's.
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

/** It may be a foreign key that the model has read, or one that the user wants it to use, so a person decides. */
export const secretFormArguments: Rule = {
  name: 'secret-form-in-arguments',
  does: 'ask',
  async inspect(text, facts) {
    const { times } = await secretForms.inspect(text, facts);
    return { times, text };
  },
};
