import { prepareComponent } from '#tools/component/install/prepare-component.ts';
import { DEFAULT_LIMITS, type HostImports, type JailLimits } from '#tools/component/jail/jail-call.ts';
import {
  createJails,
  type JailAnswer,
  type JailedComponent,
  JailFailure,
  type Jails,
  type JailsOptions,
} from '#tools/component/jail/jails.ts';

export const QUIET_HOST: HostImports = {
  httpRequest: async () => ({ status: 200, body: new TextEncoder().encode('hello') }),
  secretExists: () => false,
};

export const SHORT: JailLimits = { ...DEFAULT_LIMITS, cpuMs: 500, wallMs: 10_000 };

/** Jails, with short functions to call tools in them. */
export function createAttackedJails(options: JailsOptions = {}): Jails & {
  run(
    component: JailedComponent,
    params?: string,
    call?: { limits?: JailLimits; host?: HostImports; signal?: AbortSignal },
  ): Promise<JailAnswer>;
} {
  const jails = createJails(options);
  return {
    ...jails,
    run: (
      component,
      params = '{}',
      { limits = SHORT, host = QUIET_HOST, signal = new AbortController().signal } = {},
    ) => jails.call(component, { params, host, limits, signal }),
  };
}

export async function install(name: string, wasm: Uint8Array, options?: { gates: boolean }): Promise<JailedComponent> {
  const { hash, files } = await prepareComponent(wasm, options);
  return { name, hash, load: async () => files };
}

/** The failure of a call; throws if the call succeeds. */
export async function failureOf(answer: Promise<JailAnswer>): Promise<JailFailure> {
  const ended: unknown = await answer.catch((error: unknown) => error);
  if (ended instanceof JailFailure) return ended;
  throw new Error(`It did not fail in its jail: ${ended instanceof Error ? ended.stack : JSON.stringify(ended)}`);
}
