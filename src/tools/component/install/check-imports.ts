import { GateRefusal } from './gate-refusal.ts';

export type ComponentImport = { readonly name: string; readonly kind: 'instance' | 'type' };

/** The version of `reborn:tool` that this service speaks. */
export const WIT_VERSION = '1.0.0';

const HOST = /^reborn:tool\/host@(\d+)\.(\d+)\.(\d+)$/;

/** `../jail/inside/realm.ts` implements these without access to anything. */
const INERT_WASI =
  /^wasi:(cli\/(environment|exit|stdin|stdout|stderr|terminal-(input|output|stdin|stdout|stderr))|clocks\/(monotonic-clock|wall-clock)|filesystem\/(preopens|types)|io\/(error|poll|streams)|random\/(random|insecure|insecure-seed))@0\.2\.\d+$/;

/** Returns the version of our interface that the component was built for. One that imports nothing of it fits any. */
export function checkImports(imports: readonly ComponentImport[]): string {
  let version = WIT_VERSION;
  for (const { name, kind } of imports) {
    if (kind === 'type' || INERT_WASI.test(name)) continue;
    const host = HOST.exec(name);
    if (!host) throw new GateRefusal(`The component imports ${JSON.stringify(name.slice(0, 80))}. ${ALLOWED}`);
    version = `${host[1]}.${host[2]}.${host[3]}`;
    if (!fits(version)) throw new GateRefusal(otherVersion(version));
  }
  return version;
}

const ALLOWED =
  'A tool may import reborn:tool/host, and of WASI 0.2 what needs no files, sockets or HTTP. Requests go through http-request of reborn:tool/host.';

/** The same major version, and a minor that we know already. */
function fits(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  const [ourMajor, ourMinor] = WIT_VERSION.split('.').map(Number);
  return major === ourMajor && (minor ?? 0) <= (ourMinor ?? 0);
}

function otherVersion(version: string): string {
  return `The component was built for reborn:tool ${version}, and this service speaks ${WIT_VERSION}. Build it for that version.`;
}
