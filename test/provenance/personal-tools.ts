import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { Tool, ToolFlow } from '#tools/tool.ts';

/** A call as the world outside sees it. */
export type Act = { readonly tool: string; readonly arguments: string; readonly userId: string };

/** What the world answers. `results`: the addresses that a search has found. */
export type ActResult = { readonly text: string; readonly results?: readonly string[] };

export type ActOutside = (act: Act) => Promise<ActResult>;

/** Reads at a place that the operator trusts, such as the person's mailbox. */
const TRUSTED: ToolFlow = { reads: FOREIGN_AND_PRIVATE, from: 'tool', runs: 'always' };
const PUBLIC: ToolFlow = { reads: { foreign: true }, from: 'search', runs: 'always' };
/** Reaches only the person. */
const TO_PERSON: ToolFlow = { reads: {}, runs: 'always' };

/**
 * The tools that a person has besides the built-in ones: search, mail, calendar, files, code and weather, which declare
 * what they do with data, and some that don't. `level`: for tools that act outside.
 */
export function personalTools(act: ActOutside, level: 'allow' | 'ask'): Tool[] {
  const declared = (name: string, flow: ToolFlow) => toolOf(act, name, { level: 'allow', flow });
  return [
    declared('web_search', PUBLIC),
    declared('weather', PUBLIC),
    ...['mail_list', 'mail_read', 'calendar_list', 'files_read'].map((name) => declared(name, TRUSTED)),
    ...['mail_draft', 'mail_me', 'files_write'].map((name) => declared(name, TO_PERSON)),
    declared('run_code', { ...TO_PERSON, inert: true }),
    toolOf(act, 'calendar_add', { level: 'ask' }),
    toolOf(act, 'send_mail', { level }),
    toolOf(act, 'post_board', { level }),
    toolOf(act, 'lookup', { level: 'allow' }),
    reportTool(act),
  ];
}

function toolOf(act: ActOutside, name: string, more: Pick<Tool, 'level' | 'flow'>): Tool {
  return {
    definition: { name, description: null, parameters: null, strict: null },
    repeatable: true,
    async call(argumentsJson, { owner, onReads }) {
      const { text, results } = await act({ tool: name, arguments: argumentsJson, userId: owner.userId });
      if (results) onReads?.({ ...more.flow?.reads, results });
      return text;
    },
    ...more,
  };
}

/** Its output is a file, which the model does not see as text. */
function reportTool(act: ActOutside): Tool {
  const name = 'get_report';
  return {
    ...toolOf(act, name, { level: 'allow' }),
    async call(argumentsJson, { owner, onFile }) {
      const { text } = await act({ tool: name, arguments: argumentsJson, userId: owner.userId });
      const base64 = Buffer.from(text).toString('base64');
      onFile?.({ type: 'file', mediaType: 'text/plain', filename: 'report.txt', base64 });
      return 'The report is attached.';
    },
  };
}
