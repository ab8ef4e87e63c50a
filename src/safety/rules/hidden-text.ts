import type { Rule } from '../rule.ts';

/**
 * Characters that models read and people don't see: Unicode tags, and long rows of variation selectors, which can encode
 * bytes. Flags of regions also consist of tags, and stay.
 */
export const hiddenText: Rule = {
  name: 'hidden-text',
  does: 'redact',
  inspect(text) {
    let times = 0;
    const plain = text.replace(HIDDEN, (run: string, flag: string | undefined) => {
      if (flag !== undefined) return run;
      times++;
      return '';
    });
    return { times, text: plain };
  },
};

const HIDDEN =
  /(\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f})|[\u{e0000}-\u{e007f}]+|[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{3,}/gu;
