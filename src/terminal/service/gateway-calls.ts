/** Where the service is, and by what it knows us. */
export type Address = {
  readonly url: string;
  readonly token: string;
  /** Whether a browser can reach it. */
  readonly hasGateway: boolean;
};

/** The service did not answer at all: it is down, or not up yet. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The service answered, and said no. The message is for the person. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Call = {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
};

/** One request to the gateway; its JSON, or its text when it is something else. */
export async function callGateway(address: Address, route: string, call: Call = {}): Promise<unknown> {
  const response = await fetch(address.url + route, {
    method: call.method ?? (call.body ? 'POST' : 'GET'),
    headers: {
      authorization: `Bearer ${address.token}`,
      ...(call.body && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
    ...(call.signal && { signal: call.signal }),
  }).catch((cause: unknown) => {
    throw new Unreachable('The service does not answer.', { cause });
  });
  const text = await response.text().catch((cause: unknown) => {
    throw new Unreachable('The service broke off its answer.', { cause });
  });
  if (response.ok) return isJson(response) ? JSON.parse(text) : text;
  if (response.status === 503) throw new Unreachable('The service has no database at the moment.');
  throw new Refused(response.status, refusalIn(response, text));
}

function refusalIn(response: Response, text: string): string {
  if (response.status === 401)
    return "The service refused this home's token. Set SERVICE_REBORN_WEBUI_TOKEN to the one it was started with.";
  if (!isJson(response)) return `The service answered ${response.status}: ${text.slice(0, 200)}`;
  const { error } = JSON.parse(text) as { error?: { message?: string } };
  return error?.message ?? `The service answered ${response.status}.`;
}

const isJson = (response: Response) => response.headers.get('content-type')?.includes('json') ?? false;
