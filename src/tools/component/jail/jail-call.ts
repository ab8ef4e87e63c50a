/** What the transpiler made: one JavaScript module, and core modules. It is run in a jail and nowhere else. */
export type ComponentFiles = { readonly [path: string]: Uint8Array };

export type HostImports = {
  /** A rejection's message is what the guest gets as the error. */
  httpRequest(request: HostRequest): Promise<{ status: number; body: Uint8Array }>;
  secretExists(name: string): boolean;
};

export type HostRequest = { method: string; url: string; headers: string; body?: Uint8Array; timeoutMs?: number };

export type JailLimits = {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly logLines: number;
  readonly logLineBytes: number;
};

export const DEFAULT_LIMITS: JailLimits = {
  memoryBytes: 64 * 1024 * 1024,
  cpuMs: 10_000,
  wallMs: 60_000,
  logLines: 1000,
  logLineBytes: 4096,
};

export type Log = { readonly level: string; readonly message: string };
