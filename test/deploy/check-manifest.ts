import type { Manifest } from './chart.ts';

type Model = { readonly prototype: { validate(this: object): void } };

/** Packages with the schemas of Kubernetes and of the two extensions that we use, as functions. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api/',
  'postgresql.cnpg.io/v1': '@kubernetes-models/cloudnative-pg/',
};

/**
 * What the schema of its kind says against a manifest. A server ignores fields that it does not know, and so do the schemas: the
 * fields that a check never looks at are unknown.
 */
export async function checkManifest(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const models = (await import((SCHEMAS[apiVersion] ?? 'kubernetes-models/') + apiVersion)) as Record<string, Model>;
  const model = models[kind];
  if (!model) return [`There is no ${kind} in ${apiVersion}.`];
  const seen = new Set<string>();
  try {
    model.prototype.validate.call(watch(manifest, '', seen) as object);
  } catch (error) {
    return [`${kind} ${manifest.metadata.name}: ${String(error)}`];
  }
  return listPaths(manifest)
    .filter((path) => !seen.has(path))
    .map((path) => `${kind} has no field ${path}.`);
}

/** The same value, which notes what is read of it. */
function watch(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key !== 'string') return Reflect.get(target, key) as unknown;
      seen.add(`${path}/${key}`);
      return watch(Reflect.get(target, key), `${path}/${key}`, seen);
    },
  });
}

/** Entries of lists and of maps such as labels count by what is in them. */
function listPaths(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Object.entries(value);
  return entries.length === 0 ? [path] : entries.flatMap(([name, inner]) => listPaths(inner, `${path}/${name}`));
}
