import type { Tool } from '#tools/tool.ts';

/** A tool that changes something elsewhere, so that it waits for an approval. It only notes what it was asked to send. */
export function createMailTool() {
  const sent: string[] = [];
  const tool: Tool = {
    definition: {
      name: 'send_mail',
      description: 'Sends a mail from your address.',
      parameters: { type: 'object', properties: { to: { type: 'string' }, subject: { type: 'string' } } },
      strict: null,
    },
    repeatable: false,
    flow: { reads: {}, runs: 'clean' },
    async call(json) {
      sent.push(json);
      return `sent number ${sent.length}`;
    },
  };
  return { tool, sent };
}
