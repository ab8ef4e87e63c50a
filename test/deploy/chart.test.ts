import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { options } from '#config/options.ts';
import { canRender, findProblems, type Manifest, readManifests, renderChart, type Values } from './chart.ts';
import { checkManifest } from './check-manifest.ts';

const PARENTS = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
const PROXY = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } }];
const DATABASE = {
  to: [{ podSelector: { matchLabels: { 'cnpg.io/cluster': 'reborn-db' } } }],
  ports: [{ port: 5432 }],
};
const JAIL = { seccompProfile: 'profiles/reborn.json', appArmorProfile: 'reborn', userNamespace: true, required: true };

const VARIANTS: Readonly<Record<string, Values>> = {
  'as it comes': {},
  'one replica': { replicas: 1 },
  'behind a Gateway': { httpRoute: { enabled: true, parentRefs: PARENTS }, webhook: { enabled: true } },
  'behind an Ingress': {
    ingress: { enabled: true, className: 'traefik', annotations: { a: 'b' } },
    webhook: { enabled: true },
  },
  'with the wall of tools': { toolJail: JAIL },
  'with runners under gVisor': { runners: { enabled: true, createRuntimeClass: true } },
  'with runners under the usual runtime': { runners: { enabled: true, runtimeClassName: '' } },
  'with web search and its own registry': { searxng: { enabled: true }, imagePullSecrets: [{ name: 'pull' }] },
  'with a policy for its network': {
    networkPolicy: { enabled: true, from: PROXY, to: [DATABASE] },
    webhook: { enabled: true },
    runners: { enabled: true },
    searxng: { enabled: true },
  },
  'with a policy that lets nobody in': { networkPolicy: { enabled: true } },
  'on chosen nodes': {
    image: { digest: `sha256:${'a'.repeat(64)}` },
    database: { existingSecret: 'reborn-db-app' },
    nodeSelector: { pool: 'agents' },
    tolerations: [{ key: 'pool', operator: 'Equal', value: 'agents', effect: 'NoSchedule' }],
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }] },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
    ],
    podAnnotations: { 'prometheus.io/scrape': 'true' },
  },
};

describe.runIf(canRender())('the chart', () => {
  test.each(Object.keys(VARIANTS))("%s fits Kubernetes' schemas", async (name) => {
    const manifests = await renderChart(VARIANTS[name] ?? {});

    expect(manifests.length).toBeGreaterThanOrEqual(2);
    for (const manifest of manifests) expect(await checkManifest(manifest)).toEqual([]);
  });

  test('a replica is asked for nothing while it drains, and has time to hand over its turns', async () => {
    const { spec } = podOf(await renderChart({}));
    const [container] = spec.containers;
    const wait = Number(container.lifecycle.preStop.exec.command.at(-1));

    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz'); // a lost database is no reason for a restart
    expect(wait).toBeGreaterThanOrEqual(5);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(wait + 30);
  });

  test('replicas spread over nodes, one at a time goes, and none more than one can do without', async () => {
    const manifests = await renderChart({});
    const budget = find(manifests, 'PodDisruptionBudget');

    expect(podOf(manifests).spec.topologySpreadConstraints).toMatchObject([{ topologyKey: 'kubernetes.io/hostname' }]);
    expect(budget).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect((await renderChart({ replicas: 1 })).map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
  });

  test('by default it trusts no proxy, names no ingress controller, and gives a pod no right', async () => {
    const { spec } = podOf(await renderChart({}));
    const [container] = spec.containers;

    expect(container.env.map(({ name }) => name)).not.toContain('TRUSTED_PROXIES');
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
    expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    expect(find(await renderChart({ ingress: { enabled: true } }), 'Ingress')).not.toHaveProperty(
      'spec.ingressClassName',
    );
  });

  test('with the wall of tools, a pod may make namespaces, and its tools must have them', async () => {
    const { spec } = podOf(await renderChart({ toolJail: JAIL }));

    expect(spec.hostUsers).toBe(false);
    expect(spec.shareProcessNamespace).toBe(true);
    expect(spec.securityContext.seccompProfile).toEqual({
      type: 'Localhost',
      localhostProfile: 'profiles/reborn.json',
    });
    expect(spec.containers[0].env).toContainEqual({ name: 'TOOL_JAIL_REQUIRES', value: 'network,files,processes' });
    expect(options.TOOL_JAIL_REQUIRES.parser.parse('network,files,processes')).toBeDefined();
  });

  test('a policy lets the proxy in, and the service out to names, public addresses and what it is given', async () => {
    const { spec } = find(
      await renderChart(VARIANTS['with a policy for its network'] ?? {}),
      'NetworkPolicy',
    ) as unknown as Policy;

    expect(spec.ingress).toMatchObject([{ from: PROXY, ports: [{ port: 'gateway' }, { port: 'webhook' }] }]);
    expect(spec.egress).toHaveLength(5);
    expect(spec.egress.at(-1)).toEqual(DATABASE);
    expect(spec.egress[1]?.to[0]?.ipBlock?.except).toContain('169.254.0.0/16');
  });

  test('an HTTPRoute without a Gateway is refused', async () => {
    await expect(renderChart({ httpRoute: { enabled: true } })).rejects.toThrow(
      'httpRoute.parentRefs must name the Gateway',
    );
  });
});

test('a check of a manifest finds a wrong type, a missing field and a field that no one knows', async () => {
  const policy = (spec: object) =>
    checkManifest({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a' }, spec });

  expect(await policy({ podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] })).toEqual([]);
  expect(await policy({ podSelector: {}, ingress: 'all' })).toEqual([expect.stringContaining('must be array')]);
  expect(await policy({ podSelector: {}, ingress: [{ ports: [{ prt: 80 }] }] })).toEqual([
    'NetworkPolicy has no field /spec/ingress/0/ports/0/prt.',
  ]);
});

test('values are checked: a typo, a secret among the settings, a wrong digest', async () => {
  expect(await findProblems({ ingres: {} })).toContain('additional properties');
  expect(await findProblems({ settings: { SECRETS_KEY: 'abc' } })).toContain('property name must be valid');
  expect(await findProblems({ image: { digest: 'latest' } })).toContain('must match pattern');
  expect(await findProblems({ replicas: 0 })).toContain('must be >= 1');
});

test('the example of a database fits the schema of CloudNativePG', async () => {
  const file = 'deploy/helm/examples/cloudnative-pg.yaml';
  const [cluster, ...others] = readManifests(readFileSync(file, 'utf8'), file);

  expect(others).toEqual([]);
  expect(await checkManifest(cluster as Manifest)).toEqual([]);
});

type Named = { readonly name: string };
type Probe = { readonly httpGet: { readonly path: string } };
type Pod = {
  readonly spec: {
    readonly [field: string]: unknown;
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: { readonly seccompProfile: object };
    readonly containers: readonly [
      {
        readonly [field: string]: unknown;
        readonly env: readonly Named[];
        readonly readinessProbe: Probe;
        readonly livenessProbe: Probe;
        readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
      },
    ];
  };
};
type Policy = {
  readonly spec: {
    readonly ingress: readonly object[];
    readonly egress: readonly {
      readonly to: readonly { readonly ipBlock?: { readonly except: readonly string[] } }[];
    }[];
  };
};

function find(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`No ${kind} was rendered.`);
  return found;
}

const podOf = (manifests: readonly Manifest[]): Pod =>
  (find(manifests, 'Deployment') as unknown as { spec: { template: Pod } }).spec.template;
