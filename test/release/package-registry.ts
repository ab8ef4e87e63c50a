import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Manifest = { readonly name: string; readonly version: string };

/** As much of an npm registry as `npm install` asks for: these tarballs, and nothing else. */
export async function startPackageRegistry(tarballs: readonly string[]) {
  const packages = await Promise.all(tarballs.map(readTarball));
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1);
    const tarball = packages.find(({ path }) => path === asked);
    if (tarball) return void response.end(tarball.bytes);
    const versions = packages.filter(({ manifest }) => manifest.name === asked);
    const body = versions.length > 0 ? JSON.stringify(describe(asked, versions)) : '{}';
    response.writeHead(versions.length > 0 ? 200 : 404, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const describe = (name: string, versions: readonly Packed[]) => ({
    name,
    'dist-tags': { latest: versions.at(-1)?.manifest.version },
    versions: Object.fromEntries(
      versions.map(({ manifest, path, integrity }) => [
        manifest.version,
        { ...manifest, dist: { tarball: `${url}/${path}`, integrity } },
      ]),
    ),
  });
  return {
    url,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Packed = Awaited<ReturnType<typeof readTarball>>;

async function readTarball(file: string) {
  const manifest = JSON.parse(
    execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }),
  ) as Manifest;
  const bytes = await readFile(file);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return { manifest, bytes, integrity, path: `${manifest.name}/-/${manifest.version}.tgz` };
}
