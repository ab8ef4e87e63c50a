import type { Client } from '@reborn-agent/client';
import type { AgentTool } from '@reborn-agent/client/api';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';

type Json = { readonly json?: true };

export function listTools({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { tools } = await client.call('GET /api/tools');
    if (json) return printJson(tools);
    printTable([
      ['name', 'version', 'reads', 'from', 'description'],
      ...tools.map(({ name, version, reads, source, description }) => [
        name,
        version ?? '',
        reads ? 'only' : '',
        source,
        firstLine(description ?? ''),
      ]),
    ]);
  });
}

export function showTool(name: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const tool = await getTool(client, name);
    if (json) return printJson(tool);
    printLine(tool.description ?? '');
    for (const { text } of tool.capabilities) printLine(`- ${text}`);
    if (tool.reads) printLine('- only reads, as the operator said, and runs also after text by others');
    if (tool.hash) printLine(`Component ${tool.hash}, for version ${tool.wit_version} of the contract.`);
  });
}

export function removeInstalled(name: string): Promise<void> {
  return withClient(async (client) => {
    await orMissing(client.call('DELETE /api/tools/{name}', { params: { name } }), missing(name));
    printLine(`Removed. The agent has no tool "${name}" any more.`);
  });
}

/** As the caller has it or, for an operator, another user or everyone. */
export async function getTool(client: Client, name: string, holder?: string): Promise<AgentTool> {
  const tool = await findTool(client, name, holder);
  if (!tool) throw new Error(missing(name));
  return tool;
}

export async function findTool(client: Client, name: string, holder?: string): Promise<AgentTool | undefined> {
  const { tools } = await client.call('GET /api/tools', { query: { for: holder } });
  return tools.find((tool) => tool.name === name);
}

const missing = (name: string) => `The tool "${name}" does not exist. \`reborn tool list\` shows all tools.`;
const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, 80);
