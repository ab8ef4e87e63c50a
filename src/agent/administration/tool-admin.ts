import { Conflict, Forbidden, InvalidRequest, NotFound } from '#domain/errors.ts';
import { isOperator, type Principal, requireOperator } from '#domain/principal.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { findFlags } from '#safety/inspect.ts';
import type { Database } from '#store/connection.ts';
import { findTool, type ToolRow } from '#store/tools/tools.ts';
import { AuthFailure } from '#tools/auth/auth-failure.ts';
import type { BrowserSignIn, SignInTarget } from '#tools/auth/browser-sign-in.ts';
import type { Capabilities } from '#tools/component/capabilities/capabilities.ts';
import { type CapabilitySentence, describeCapabilities } from '#tools/component/capabilities/describe-capabilities.ts';
import { InvalidCapabilities, parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import { InstallRefused } from '#tools/component/install/prepare-component.ts';
import {
  type Installation,
  type InstallRequest,
  installTool,
  prepareTool,
  removeTool,
} from '#tools/component/install-tool.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { asksAfterOthers } from '../gates/asks-after-others.ts';
import { listPolicies, policyFor } from '../gates/policy-settings.ts';
import { type ListedTool, type ListParts, listTools } from './list-tools.ts';

/** Manages tools: all users see them and store their own secrets, operators install and remove them. */
export type ToolAdmin = {
  /** As the caller or, for an operator, another user or everyone has them. */
  list(principal: Principal, holder?: SecretHolder): Promise<ListedTool[]>;
  /** Those of the named tools whose calls need an approval once the model has read text by others. */
  askingAfterOthers(owner: Pick<Principal, 'userId'>, names: readonly string[]): Promise<string[]>;
  /** Describes the tool, and with `install` installs it. Replaces a tool of the same name only with `replace`. */
  add(actor: Principal, upload: ToolUpload, how: { install: boolean; replace: boolean }): Promise<ToolPreview>;
  remove(actor: Principal, name: string): Promise<void>;
  /** The URL where the holder signs in to the tool's service. `finishSignIn` takes the answer. */
  beginSignIn(actor: Principal, toolName: string, holder: SecretHolder, redirectUri: string): Promise<string>;
  finishSignIn(
    actor: Principal,
    toolName: string,
    holder: SecretHolder,
    answer: { state: string; code: string },
  ): Promise<void>;
  /** Stores a secret that the tool names; others are refused. */
  putSecret(principal: Principal, toolName: string, secret: GivenSecret): Promise<void>;
};

type ToolUpload = {
  readonly name: string;
  readonly wasm: Uint8Array;
  readonly capabilities: string | undefined;
  /** The operator says that it only reads. */
  readonly reads: boolean;
};

/** A tool before it is installed. */
type ToolPreview = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly hash: string;
  readonly sentences: readonly CapabilitySentence[];
  readonly warnings: readonly string[];
  readonly replaces: string | null;
};

type GivenSecret = { readonly name: string; readonly value: string; readonly holder: SecretHolder };

type Parts = ListParts & {
  readonly secrets: Pick<Secrets, 'put'>;
  readonly signIn: BrowserSignIn;
  readonly signInTo: (tool: { name: string; auth: Capabilities['auth'] }, holder: SecretHolder) => SignInTarget;
  readonly prepare: InstallRequest['prepare'];
  /** A tool was installed or removed here. */
  readonly onChange: () => void;
};

export function createToolAdmin(parts: Parts): ToolAdmin {
  const { db, tools, secrets, signIn, signInTo } = parts;

  return {
    async list(principal, holder = principal) {
      checkHolder(principal, holder);
      return listTools(parts, principal, holder);
    },
    async askingAfterOthers(owner, names) {
      if (names.length === 0) return [];
      const [current, policies] = await Promise.all([tools.current(owner), listPolicies(db)]);
      return names.filter((name) => {
        const tool = current.find(name);
        return tool && asksAfterOthers(tool, policyFor(policies, name, owner.userId));
      });
    },
    async add(actor, upload, how) {
      requireOperator(actor);
      return orExplain(() => addTool(parts, actor, upload, how));
    },
    async remove(actor, name) {
      requireOperator(actor);
      if (!(await removeTool(db, name, actor.userId))) throw noTool(name);
      parts.onChange();
    },
    async beginSignIn(actor, name, holder, redirectUri) {
      checkHolder(actor, holder);
      const { auth } = await getCapabilities(db, name);
      return orExplain(async () => signIn.begin(holder, signInTo({ name, auth }, holder), redirectUri));
    },
    async finishSignIn(actor, name, holder, answer) {
      checkHolder(actor, holder);
      const { auth } = await getCapabilities(db, name);
      await orExplain(async () => signIn.finish(holder, signInTo({ name, auth }, holder), answer, actor.userId));
    },
    async putSecret(principal, toolName, { name, value, holder }) {
      checkHolder(principal, holder);
      checkSecret(toolName, await getCapabilities(db, toolName), name, value);
      await secrets.put(holder, name, value, { actor: principal.userId });
    },
  };
}

function checkHolder(principal: Principal, holder: SecretHolder): void {
  if (isOperator(principal) || (holder !== 'everyone' && holder.userId === principal.userId)) return;
  throw new Forbidden('operator_only', 'Only the operator may store secrets for others. Store your own instead.');
}

async function getCapabilities(db: Database, name: string): Promise<Capabilities> {
  const row = await findTool(db, name);
  if (!row) throw noTool(name);
  return parseCapabilities(row.capabilities);
}

const noTool = (name: string) => new NotFound(`The tool "${name}" is not installed.`);

async function addTool(
  { db, builtinNames, prepare, onChange }: Parts,
  actor: Principal,
  upload: ToolUpload,
  { install, replace }: { readonly install: boolean; readonly replace: boolean },
): Promise<ToolPreview> {
  const installation = await prepareTool({
    ...upload,
    prepare,
    isTaken: (name) => isReservedName(name) || builtinNames.has(name),
  });
  const before = await findTool(db, installation.name);
  if (install && before && !replace)
    throw new Conflict(
      'already_exists',
      `There is a tool "${upload.name}" already. Replace it (\`--force\`), or choose another name.`,
    );
  if (install) {
    await installTool(db, installation, { force: replace, actor: actor.userId });
    onChange();
  }
  return previewOf(installation, before);
}

async function previewOf(
  { name, component, capabilities, warnings }: Installation,
  before: ToolRow | undefined,
): Promise<ToolPreview> {
  const { description, hash, schema } = component;
  const isFlagged = (await findFlags(`${description}\n${schema}`)).length > 0;
  return {
    name,
    description,
    version: capabilities.version ?? null,
    hash,
    warnings: [...warnings, ...(isFlagged ? [FLAGGED] : [])],
    sentences: describeCapabilities(capabilities),
    replaces: before?.hash ?? null,
  };
}

const FLAGGED =
  'The description reads like an order to the model. While the tool is installed, every call is asked for.';

function checkSecret(toolName: string, capabilities: Capabilities, name: string, value: string): void {
  const names = secretNames(capabilities);
  if (!names.includes(name))
    throw new InvalidRequest(
      'invalid_request',
      'name',
      `The tool "${toolName}" uses no secret of this name. It uses: ${names.join(', ') || 'none'}.`,
    );
  if (!value.isWellFormed()) throw new InvalidRequest('invalid_request', 'value', 'value must be valid Unicode text.');
}

function secretNames({ http, auth, setup }: Capabilities): string[] {
  const names = [
    ...(auth ? [auth.secretName] : []),
    ...setup.requiredSecrets.map(({ name }) => name),
    ...http.credentials.map(({ secretName }) => secretName),
  ];
  return [...new Set(names)];
}

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
