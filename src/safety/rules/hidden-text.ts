import type { Rule } from '../rule.ts';

/**
 * Letters that models read and people don't see: the tags of Unicode, and long rows of variation selectors, by which
 * bytes are smuggled. Flags of regions are made of tags, too, and stay.
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
