/** The world of `wit/tool.wit` as the engine presents it to a TypeScript tool. */
export type HostImports = {
  /** Throws without a reply. All five arguments must be passed, `undefined` for missing ones. */
  readonly httpRequest: (
    method: string,
    url: string,
    headers: string,
    body: Uint8Array | undefined,
    timeoutMs: number | undefined,
  ) => { readonly status: number; readonly body: Uint8Array };
  readonly log: (level: LogLevel, message: string) => void;
  readonly secretExists: (name: string) => boolean;
};

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export type ToolExports = {
  readonly execute: (request: ToolRequest) => ToolResponse;
  readonly schema: () => string;
  readonly description: () => string;
};

export type ToolRequest = { readonly params: string };

/** Exactly one of the two is set. */
export type ToolResponse = { readonly output: string | undefined; readonly error: string | undefined };
