import type { Principal } from '#domain/principal.ts';
import type { CallCard } from '#domain/tool/call-card.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Database } from '#store/connection.ts';
import { listTools as listToolRows, type ToolRow } from '#store/tools/tools.ts';
import type { Environment } from '#tools/auth/tool-auth.ts';
import type { Capabilities } from '#tools/component/capabilities/capabilities.ts';
import { type CapabilitySentence, describeCapabilities } from '#tools/component/capabilities/describe-capabilities.ts';
import { parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Tool } from '#tools/tool.ts';
import { cardOfTool } from '../gates/call-card.ts';
import { appliesTo } from '../gates/judge-call.ts';
import { listPolicies, policyFor } from '../gates/policy-settings.ts';

/** A tool as its users see it. `installed` is undefined for a tool that is built in or belongs to an MCP server. */
export type ListedTool = {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: unknown;
  readonly needsSignIn: boolean;
  /** Until when this replica refuses its calls, because it crashed too often. */
  readonly quarantinedUntil: Date | null;
  readonly installed: InstalledTool | undefined;
  /** The MCP server that it belongs to. */
  readonly server: string | undefined;
  readonly ownLevel: ListedLevel;
  /** The level with the operator's policy. */
  readonly level: ListedLevel;
  /** How its calls read. */
  readonly card: CallCard | undefined;
};

/** `depends`: on the arguments of the call. */
type ListedLevel = ToolLevel | 'depends';

type InstalledTool = Pick<ToolRow, 'hash' | 'witVersion' | 'reads' | 'installedAt' | 'updatedAt'> & {
  readonly version: string | null;
  readonly sentences: readonly CapabilitySentence[];
  readonly auth: Capabilities['auth'];
  /** The environment of the service has the credential, and nothing needs to be stored. */
  readonly isInEnvironment: boolean;
  readonly secrets: readonly {
    readonly name: string;
    readonly prompt: string;
    readonly optional: boolean;
    readonly stored: boolean;
  }[];
};

export type ListParts = {
  readonly db: Database;
  readonly tools: ToolRegistry;
  readonly secrets: Pick<Secrets, 'exists'>;
  readonly environment: Environment;
  readonly builtinNames: ReadonlySet<string>;
};

/** By name. Everyone has the tools that the caller has. */
export async function listTools(parts: ListParts, principal: Principal, holder: SecretHolder): Promise<ListedTool[]> {
  const { db, tools, builtinNames } = parts;
  const owner = holder === 'everyone' ? principal : holder;
  const [current, rows, policies] = await Promise.all([tools.current(owner), listToolRows(db), listPolicies(db)]);
  const listed = current.definitions().map(async ({ name, description, parameters }): Promise<ListedTool> => {
    const tool = current.find(name);
    const quarantineMs = tool?.quarantineLeft?.() ?? 0;
    const row = builtinNames.has(name) ? undefined : rows.find((each) => each.name === name);
    return {
      name,
      description,
      parameters,
      needsSignIn: (await tool?.needsSignIn?.(owner)) ?? false,
      quarantinedUntil: quarantineMs > 0 ? new Date(Date.now() + quarantineMs) : null,
      installed: row && (await describeInstalled(parts, holder, row)),
      server: tool?.server,
      card: tool && cardOfTool(tool),
      ...levelsOf(tool, policyFor(policies, name, owner.userId)?.level),
    };
  });
  return (await Promise.all(listed)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function describeInstalled(
  { secrets, environment }: ListParts,
  holder: SecretHolder,
  row: ToolRow,
): Promise<InstalledTool> {
  const capabilities = parseCapabilities(row.capabilities);
  const required = capabilities.setup.requiredSecrets.map(async ({ name, prompt, optional = false }) => ({
    name,
    prompt,
    optional,
    stored: await secrets.exists(holder, name),
  }));
  return {
    version: capabilities.version ?? null,
    sentences: describeCapabilities(capabilities),
    auth: capabilities.auth,
    isInEnvironment: capabilities.auth?.envVar !== undefined && environment(capabilities.auth.envVar) !== undefined,
    secrets: await Promise.all(required),
    hash: row.hash,
    witVersion: row.witVersion,
    reads: row.reads,
    installedAt: row.installedAt,
    updatedAt: row.updatedAt,
  };
}

function levelsOf(tool: Tool | undefined, policy: ToolLevel | undefined): Pick<ListedTool, 'level' | 'ownLevel'> {
  const ownLevel = typeof tool?.flow?.runs === 'function' ? 'depends' : (tool?.level ?? 'ask');
  return { ownLevel, level: policy && (!tool || appliesTo(policy, tool)) ? policy : ownLevel };
}
