import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { InstalledPackage } from './installed-packages.ts';
import type { NativePart } from './native-parts.ts';

type Contents = {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly InstalledPackage[];
  /** The folders of the packages that the program needs itself. */
  readonly direct: readonly string[];
  readonly native: readonly NativePart[];
};

/** The software bill of materials, in CycloneDX. (`npm sbom --omit=dev` omits packages that a dev dependency needs as well.) */
export function makeSbom({ name, version, packages, direct, native }: Contents) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version, purl: purlOf(name, version) },
    },
    components: [...packages.map(toComponent), ...native.map(toNativeComponent)],
    dependencies: [
      { ref: `${name}@${version}`, dependsOn: direct },
      ...packages.map(({ folder, needs }) => ({
        ref: folder,
        dependsOn: [...needs, ...native.filter((part) => part.folder === folder).map(refOf)],
      })),
    ],
  };
}

function toComponent({ name, version, license, integrity, folder }: InstalledPackage) {
  return {
    type: 'library',
    'bom-ref': folder,
    name,
    version,
    purl: purlOf(name, version),
    ...(license && { licenses: [{ expression: license }] }),
    ...(integrity?.startsWith('sha512-') && { hashes: [{ alg: 'SHA-512', content: toHex(integrity) }] }),
  };
}

/** Scanners find known vulnerabilities by such names, too. */
function toNativeComponent(part: NativePart) {
  const { name, version, license, folder } = part;
  return {
    type: 'library',
    'bom-ref': refOf(part),
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
    licenses: [{ license: { name: license } }],
    description: `Part of the built-in PostgreSQL (${path.posix.relative('node_modules', folder)}).`,
  };
}

const refOf = ({ name, version }: NativePart): string => `native:${name}@${version}`;

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const toHex = (integrity: string): string => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
