import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/*
 * node scripts/pin-images.ts: adds to each base image of the Dockerfile the digest that its tag has now, and says which, so that
 * every platform of an image is built on the same base. It needs Docker and the internet.
 */

const file = path.join(import.meta.dirname, '../deploy/docker/Dockerfile');
if (import.meta.main) writeFileSync(file, pinImages(readFileSync(file, 'utf8'), lookUp));

export function pinImages(dockerfile: string, digestOf: (image: string) => string): string {
  return dockerfile.replaceAll(
    /^FROM (--platform=\S+ )?([^\s@]+\/[^\s@]+:[^\s@]+)(?=\s|$)/gm,
    (_, platform = '', image: string) => `FROM ${platform}${image}@${digestOf(image)}`,
  );
}

function lookUp(image: string): string {
  const words = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', words, { encoding: 'utf8' }).trim();
  process.stdout.write(`${image} is ${digest}\n`);
  return digest;
}
