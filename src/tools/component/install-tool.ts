import { OPERATOR, type UserId } from '#domain/principal.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteTool, findTool, insertTool, type ToolRow } from '#store/tools/tools.ts';
import { type Capabilities, isRepeatable } from './capabilities/capabilities.ts';
import { parseCapabilities } from './capabilities/parse-capabilities.ts';
import { InstallRefused, type PreparedComponent } from './install/prepare-component.ts';
import { secretLikeParams } from './secret-like-params.ts';

export type Installation = {
  readonly name: string;
  readonly component: PreparedComponent;
  readonly capabilities: Capabilities;
  /** The operator says that it only reads. */
  readonly reads: boolean;
  /** The capabilities file as its author wrote it. */
  readonly file: Readonly<Record<string, unknown>>;
  /** Warnings for the person who installs it. */
  readonly warnings: readonly string[];
};

export type InstallRequest = {
  readonly name: string;
  readonly wasm: Uint8Array;
  /** The text of the capabilities file; without one the tool can reach nothing. */
  readonly capabilities: string | undefined;
  readonly prepare: (wasm: Uint8Array) => Promise<PreparedComponent>;
  /** Whether a built-in tool has this name. */
  readonly isTaken: (name: string) => boolean;
  /** Whether the operator says that it only reads: its requests change nothing, also at services that act on GET. */
  readonly reads: boolean;
};

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Checks a tool without storing it, so that its capabilities can be shown first. */
export async function prepareTool(request: InstallRequest): Promise<Installation> {
  const { name, wasm, capabilities: text, isTaken, reads, prepare } = request;
  if (!NAME.test(name)) throw new InstallRefused('A name has 1 to 64 letters, digits, dashes and underscores.');
  if (isReservedName(name) || isTaken(name)) throw new InstallRefused(`The name "${name}" belongs to Reborn itself.`);

  const capabilities = parseCapabilities(text ?? '{}');
  if (reads && !isRepeatable(capabilities))
    throw new InstallRefused(
      'Its capabilities allow more than GET and HEAD, so it can change something. Install it without saying that it only reads.',
    );
  const component = await prepare(wasm);
  checkVersion(capabilities.witVersion, component.witVersion);
  const asked = secretLikeParams(JSON.parse(component.schema));
  const warnings = [
    ...(text === undefined ? ['It was installed without a capabilities file, so it can reach nothing.'] : []),
    ...asked.map(
      (param) => `It asks the model for "${param}". A model must not be given secrets: use http.credentials.`,
    ),
  ];
  return { name, component, capabilities, reads, file: JSON.parse(text ?? '{}') as Installation['file'], warnings };
}

/** Installs the tool for all replicas. Returns the tool that it replaced. */
export async function installTool(
  db: Database,
  { name, component, file, reads }: Installation,
  { force, actor }: { force: boolean; actor: UserId },
): Promise<ToolRow | undefined> {
  const before = await findTool(db, name);
  const tool = {
    name,
    hash: component.hash,
    witVersion: component.witVersion,
    description: component.description,
    parameters: JSON.parse(component.schema) as ToolRow['parameters'],
    capabilities: file,
    reads,
  };
  const isInstalled = await withOwner(db, OPERATOR, (trx) =>
    audited(
      trx,
      (writing) => insertTool(writing, tool, component.files, { replace: force }),
      (done) =>
        done
          ? { actor, action: 'tool.install', subject: name, detail: { hash: component.hash, ...(reads && { reads }) } }
          : 'no right changed',
    ),
  );
  if (!isInstalled)
    throw new InstallRefused(`There is a tool "${name}" already. Replace it with --force, or choose another name.`);
  return before;
}

/** Returns whether it existed. */
export function removeTool(db: Database, name: string, actor: UserId): Promise<boolean> {
  return withOwner(db, OPERATOR, (trx) =>
    audited(
      trx,
      (writing) => deleteTool(writing, name),
      (existed) => (existed ? { actor, action: 'tool.remove', subject: name, detail: {} } : 'no right changed'),
    ),
  );
}

/** Tools for another major version of the contract are not compatible. */
function checkVersion(declared: string | undefined, actual: string): void {
  if (declared !== undefined && declared.split('.')[0] !== actual.split('.')[0])
    throw new InstallRefused(`wit_version in the capabilities file is ${declared}, but the component has ${actual}.`);
}
