import { type HttpRequest, type HttpResponse, httpRequest } from './http-request.ts';
import type { HostImports, LogLevel } from './tool-world.ts';

/** The tool's access to the outside: the second argument of its `execute`. */
export type ToolHost = {
  readonly httpRequest: (request: HttpRequest) => HttpResponse;
  readonly log: Readonly<Record<LogLevel, (...parts: readonly unknown[]) => void>>;
  /** Also false for a name that the capabilities file doesn't allow. */
  readonly secretExists: (name: string) => boolean;
};

export function createToolHost(imports: HostImports): ToolHost {
  const logAt =
    (level: LogLevel) =>
    (...parts: readonly unknown[]) =>
      imports.log(level, parts.map(print).join(' ').toWellFormed());

  return {
    httpRequest: (request) => httpRequest(imports, request),
    log: {
      trace: logAt('trace'),
      debug: logAt('debug'),
      info: logAt('info'),
      warn: logAt('warn'),
      error: logAt('error'),
    },
    secretExists: (name) => imports.secretExists(name.toWellFormed()),
  };
}

function print(part: unknown): string {
  if (typeof part === 'string') return part;
  if (part instanceof Error) return `${part.name}: ${part.message}`;
  try {
    return JSON.stringify(part) ?? String(part);
  } catch {
    return String(part);
  }
}
