import { findTool, listTools } from '#store/tools/tools.ts';
import { describeCapabilities } from '#tools/component/capabilities/describe-capabilities.ts';
import { parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import { removeTool } from '#tools/component/install-tool.ts';
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';

type Json = { readonly json?: true };

export function listInstalled({ json }: Json): Promise<void> {
  return withDatabase(async ({ db }) => {
    const tools = await listTools(db);
    if (json)
      return printRecord(
        tools.map(({ name, hash, witVersion, description, capabilities, reads, installedAt, updatedAt }) => ({
          name,
          version: capabilities['version'] ?? null,
          wit_version: witVersion,
          description,
          hash,
          reads,
          installed_at: installedAt,
          updated_at: updatedAt,
        })),
      );
    if (tools.length === 0) return printLine('No tools are installed. `reborn tool install` adds one.');
    printTable([
      ['name', 'version', 'reads', 'description'],
      ...tools.map(({ name, description, capabilities, reads }) => [
        name,
        parseCapabilities(capabilities).version ?? '',
        reads ? 'only' : '',
        firstLine(description),
      ]),
    ]);
  });
}

export function showInstalled(name: string, { json }: Json): Promise<void> {
  return withDatabase(async ({ db }) => {
    const tool = await findTool(db, name);
    if (!tool) throw new Error(`There is no tool "${name}". \`reborn tool list\` shows what there is.`);
    if (json) return printRecord(tool);
    printLine(tool.description);
    for (const { text } of describeCapabilities(parseCapabilities(tool.capabilities))) printLine(`- ${text}`);
    if (tool.reads) printLine('- only reads, as the operator said, and runs also after text by others');
    printLine(`Component ${tool.hash}, for version ${tool.witVersion} of the contract.`);
  });
}

export function removeInstalled(name: string): Promise<void> {
  return withDatabase(async ({ db }) => {
    if (!(await removeTool(db, name, COMMAND_LINE.userId)))
      throw new Error(`There is no tool "${name}". \`reborn tool list\` shows what there is.`);
    printLine(`Removed. The agent has no tool "${name}" any more.`);
  });
}

const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, 80);
