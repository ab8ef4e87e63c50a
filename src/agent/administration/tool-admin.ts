import { Conflict, Forbidden, InvalidRequest, NotFound } from '#domain/errors.ts';
import { isOperator, type Principal, requireOperator } from '#domain/principal.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { Database } from '#store/connection.ts';
import { findTool, listTools, type ToolRow } from '#store/tools/tools.ts';
import { AuthFailure } from '#tools/auth/auth-failure.ts';
import type { BrowserSignIn, SignInTarget } from '#tools/auth/browser-sign-in.ts';
import type { Capabilities } from '#tools/component/capabilities/capabilities.ts';
import { type CapabilitySentence, describeCapabilities } from '#tools/component/capabilities/describe-capabilities.ts';
import { InvalidCapabilities, parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import { InstallRefused } from '#tools/component/install/prepare-component.ts';
import { type Installation, installTool, prepareTool, removeTool } from '#tools/component/install-tool.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Tool } from '#tools/tool.ts';
import { asksAfterOthers } from '../gates/asks-after-others.ts';
import { appliesTo } from '../gates/judge-call.ts';
import { listPolicies, policyFor } from '../gates/policy-settings.ts';

export type ToolAdmin = ReturnType<typeof createToolAdmin>;

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
};

/** `depends`: on the arguments of the call. */
export type ListedLevel = ToolLevel | 'depends';

export type InstalledTool = Pick<ToolRow, 'reads' | 'installedAt' | 'updatedAt'> & {
  readonly version: string | null;
  readonly sentences: readonly CapabilitySentence[];
  readonly auth: Capabilities['auth'];
  readonly secrets: readonly {
    readonly name: string;
    readonly prompt: string;
    readonly optional: boolean;
    readonly stored: boolean;
  }[];
};

export type ToolUpload = {
  readonly name: string;
  readonly wasm: Uint8Array;
  readonly capabilities: string | undefined;
  /** The operator says that it only reads. */
  readonly reads: boolean;
};

/** A tool before it is installed. */
export type ToolPreview = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly hash: string;
  readonly sentences: readonly CapabilitySentence[];
  readonly warnings: readonly string[];
  readonly replaces: string | null;
};

/** Manages tools: all users see them and store their own secrets, operators install and remove them. */
export function createToolAdmin(parts: {
  readonly db: Database;
  readonly tools: ToolRegistry;
  readonly secrets: Pick<Secrets, 'put' | 'exists'>;
  readonly signIn: BrowserSignIn;
  readonly signInTo: (tool: { name: string; auth: Capabilities['auth'] }, holder: Principal) => SignInTarget;
  readonly builtinNames: ReadonlySet<string>;
}) {
  const { db, tools, secrets } = parts;

  async function describeInstalled(principal: Principal, row: ToolRow): Promise<InstalledTool> {
    const capabilities = parseCapabilities(row.capabilities);
    const required = capabilities.setup.requiredSecrets.map(async ({ name, prompt, optional = false }) => ({
      name,
      prompt,
      optional,
      stored: await secrets.exists(principal, name),
    }));
    return {
      version: capabilities.version ?? null,
      sentences: describeCapabilities(capabilities),
      auth: capabilities.auth,
      secrets: await Promise.all(required),
      reads: row.reads,
      installedAt: row.installedAt,
      updatedAt: row.updatedAt,
    };
  }

  async function getSignIn(name: string) {
    const row = await findTool(db, name);
    if (!row) throw noTool(name);
    return { name, auth: parseCapabilities(row.capabilities).auth };
  }

  return {
    async list(principal: Principal): Promise<ListedTool[]> {
      const [current, rows, policies] = await Promise.all([tools.current(principal), listTools(db), listPolicies(db)]);
      const listed = current.definitions().map(async ({ name, description, parameters }): Promise<ListedTool> => {
        const tool = current.find(name);
        const restLeft = tool?.restLeft?.() ?? 0;
        const row = parts.builtinNames.has(name) ? undefined : rows.find((each) => each.name === name);
        return {
          name,
          description,
          parameters,
          needsSignIn: (await tool?.needsSignIn?.(principal)) ?? false,
          quarantinedUntil: restLeft > 0 ? new Date(Date.now() + restLeft) : null,
          installed: row && (await describeInstalled(principal, row)),
          server: tool?.server,
          ...levelsOf(tool, policyFor(policies, name, principal.userId)?.level),
        };
      });
      return (await Promise.all(listed)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** Those of the named tools whose calls need an approval once the model has read text by others. */
    async askingAfterOthers(owner: Pick<Principal, 'userId'>, names: readonly string[]): Promise<string[]> {
      if (names.length === 0) return [];
      const [current, policies] = await Promise.all([tools.current(owner), listPolicies(db)]);
      return names.filter((name) => {
        const tool = current.find(name);
        return tool && asksAfterOthers(tool, policyFor(policies, name, owner.userId));
      });
    },

    /** Describes the tool, and with `install` installs it. Replaces a tool of the same name only with `replace`. */
    async add(
      actor: Principal,
      upload: ToolUpload,
      { install, replace }: { install: boolean; replace: boolean },
    ): Promise<ToolPreview> {
      requireOperator(actor);
      const installation = await orExplain(() =>
        prepareTool({ ...upload, isTaken: (name) => parts.builtinNames.has(name) }),
      );
      const before = await findTool(db, installation.name);
      if (install && before && !replace)
        throw new Conflict(
          'already_exists',
          `There is a tool "${upload.name}" already. Replace it, or choose another name.`,
        );
      if (install) {
        await orExplain(() => installTool(db, installation, { force: replace, actor: actor.userId }));
      }
      return previewOf(installation, before);
    },

    async remove(actor: Principal, name: string): Promise<void> {
      requireOperator(actor);
      if (!(await removeTool(db, name, actor.userId))) throw noTool(name);
    },

    /** The URL where the caller signs in to the tool's service. `finishSignIn` takes the answer. */
    async beginSignIn(principal: Principal, toolName: string, redirectUri: string): Promise<string> {
      const tool = await getSignIn(toolName);
      return orExplain(async () => parts.signIn.begin(principal, parts.signInTo(tool, principal), redirectUri));
    },

    async finishSignIn(principal: Principal, toolName: string, answer: { state: string; code: string }): Promise<void> {
      const tool = await getSignIn(toolName);
      await orExplain(async () => parts.signIn.finish(principal, parts.signInTo(tool, principal), answer));
    },

    /** Stores a secret that the tool names; others are refused. */
    async putSecret(
      principal: Principal,
      toolName: string,
      secret: { name: string; value: string; forEveryone: boolean },
    ): Promise<void> {
      if (secret.forEveryone && !isOperator(principal))
        throw new Forbidden(
          'operator_only',
          'Only the operator may store a secret for everyone. Store your own instead.',
        );
      const row = await findTool(db, toolName);
      if (!row) throw noTool(toolName);
      const names = secretNames(parseCapabilities(row.capabilities));
      if (!names.includes(secret.name))
        throw new InvalidRequest(
          'invalid_request',
          'name',
          `The tool "${toolName}" uses no secret of this name. It uses: ${names.join(', ') || 'none'}.`,
        );
      if (!secret.value.isWellFormed())
        throw new InvalidRequest('invalid_request', 'value', 'value must be valid Unicode text.');
      const holder = secret.forEveryone ? 'everyone' : principal;
      await secrets.put(holder, secret.name, secret.value, { actor: principal.userId });
    },
  };
}

const noTool = (name: string) => new NotFound(`There is no installed tool "${name}".`);

/** Turns errors that the caller can fix into refusals. Any other error is a bug. */
async function orExplain<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof InstallRefused || error instanceof InvalidCapabilities)
      throw new InvalidRequest(
        'invalid_tool',
        error instanceof InvalidCapabilities ? 'capabilities' : null,
        error.message,
      );
    if (error instanceof AuthFailure || error instanceof EgressFailed || error instanceof EgressRefused)
      throw new InvalidRequest('invalid_request', null, error.message);
    throw error;
  }
}

function previewOf(
  { name, component, capabilities, warnings }: Installation,
  before: ToolRow | undefined,
): ToolPreview {
  const { description, hash } = component;
  const version = capabilities.version ?? null;
  return {
    name,
    description,
    version,
    hash,
    warnings,
    sentences: describeCapabilities(capabilities),
    replaces: before?.hash ?? null,
  };
}

function secretNames({ http, auth, setup }: Capabilities): string[] {
  const names = [
    ...(auth ? [auth.secretName] : []),
    ...setup.requiredSecrets.map(({ name }) => name),
    ...http.credentials.map(({ secretName }) => secretName),
  ];
  return [...new Set(names)];
}

function levelsOf(tool: Tool | undefined, policy: ToolLevel | undefined): Pick<ListedTool, 'level' | 'ownLevel'> {
  const ownLevel = typeof tool?.flow?.runs === 'function' ? 'depends' : (tool?.level ?? 'ask');
  return { ownLevel, level: policy && (!tool || appliesTo(policy, tool)) ? policy : ownLevel };
}
