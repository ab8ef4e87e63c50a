import type { S3Client } from '@aws-sdk/client-s3';
import type { Bucket } from '#domain/bucket.ts';

export type BucketSettings = {
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

const CONNECT_MS = 3000;
const ANSWER_MS = 20_000;
/** The SDK repeats a request once, at once. Longer waits are the caller's decision. */
const TRIES = 2;

/** A bucket of an S3-compatible store. The SDK is loaded with the first request, because most installations have no bucket. */
export function openBucket(settings: BucketSettings): Bucket & { close(): Promise<void> } {
  let loading: Promise<Awaited<ReturnType<typeof load>>> | undefined;
  const open = () => (loading ??= load(settings));
  const target = (key: string) => ({ Bucket: settings.name, Key: key });

  return {
    async put(key, content) {
      const { sdk, client } = await open();
      await client.send(new sdk.PutObjectCommand({ ...target(key), Body: content, ContentLength: content.length }));
    },

    async get(key, maxBytes) {
      const { sdk, client } = await open();
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(target(key)));
        return Body ? await readUpTo(Body as AsyncIterable<Uint8Array>, maxBytes + 1) : undefined;
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return undefined;
        throw error;
      }
    },

    async remove(key) {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand(target(key)));
    },

    async close() {
      if (loading) (await loading).client.destroy();
    },
  };
}

/** Every setting that the SDK would otherwise look up in the environment, in files or at the provider of the machine is given. */
async function load({ endpoint, region, accessKeyId, secretAccessKey }: BucketSettings) {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: TRIES,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    followRegionRedirects: false,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
    // Some stores refuse the checksums that the SDK adds. The hash of an attachment is checked whenever it is read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  stayAt(client, new URL(endpoint).host);
  return { sdk, client };
}

/** Refuses every request to another host. */
function stayAt(client: S3Client, host: string): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { hostname, port } = args.request as { hostname?: string; port?: number };
      const asked = port ? `${hostname}:${port}` : hostname;
      if (asked !== host) throw new Error(`A request for an attachment would go to ${asked} instead of ${host}.`);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'stayAtEndpoint' },
  );
}

async function readUpTo(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break; // ends the request
  }
  return Buffer.concat(read).subarray(0, maxBytes);
}
