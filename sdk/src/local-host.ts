import type { Tool } from './define-tool.ts';
import type { HostImports, LogLevel } from './tool-world.ts';
import { encodeUtf8 } from './utf8.ts';

export type LocalHostOptions = {
  /** Simulates the internet. An error it throws is a transport failure. */
  readonly http?: (request: LocalRequest) => LocalResponse;
  /** The names of the secrets that exist. */
  readonly secrets?: readonly string[];
};

export type LocalRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
};

/** Status 200 and an empty body by default. */
export type LocalResponse = {
  readonly status?: number;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
};

export type LocalHost = {
  /** Calls the tool with `params` as JSON, and parses its output. */
  readonly call: (tool: Tool, params: unknown) => LocalResult;
  readonly requests: readonly LocalRequest[];
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
  /** For tests that `call` can't express, such as params that are not JSON: `tool.connect(host.imports).execute({ params })`. */
  readonly imports: HostImports;
};

export type LocalResult = { readonly output?: unknown; readonly error?: string };

/** Replaces the service in a tool's tests: the tool runs in plain Node, with a scripted internet. */
export function createLocalHost(options: LocalHostOptions = {}): LocalHost {
  const requests: LocalRequest[] = [];
  const logs: { level: LogLevel; message: string }[] = [];
  const imports: HostImports = {
    httpRequest: (method, url, headers, body, timeoutMs) => {
      const request = { method, url, headers: JSON.parse(headers) as Record<string, string>, body, timeoutMs };
      requests.push(request);
      if (!options.http) throw new Error(`no reply is scripted; give createLocalHost an http function for ${url}`);
      return toReply(options.http(request));
    },
    log: (level, message) => void logs.push({ level, message }),
    secretExists: (name) => options.secrets?.includes(name) ?? false,
  };
  return { call: (tool, params) => call(tool, imports, params), requests, logs, imports };
}

function call(tool: Tool, imports: HostImports, params: unknown): LocalResult {
  const { output, error } = tool.connect(imports).execute({ params: JSON.stringify(params) });
  return output === undefined ? { error: error ?? '' } : { output: JSON.parse(output) };
}

function toReply({ status = 200, body = '', json }: LocalResponse): { status: number; body: Uint8Array } {
  const content = json === undefined ? body : JSON.stringify(json);
  return { status, body: typeof content === 'string' ? encodeUtf8(content) : content };
}
