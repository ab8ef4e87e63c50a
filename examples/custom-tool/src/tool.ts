import { defineTool } from '@reborn-agent/tool';
import { InvalidParameters } from '@reborn-agent/tool/invalid-parameters';

export const tool = defineTool({
  description: 'Counts the words of a text, which models are bad at.',
  schema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  execute(params) {
    const { text } = (params ?? {}) as { text?: unknown };
    if (typeof text !== 'string') throw new InvalidParameters("'text' must be a string");
    return { words: text.split(/\s+/).filter((word) => word !== '').length };
  },
});
