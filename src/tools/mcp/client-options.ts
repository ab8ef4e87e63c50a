import type { ClientOptions } from '@modelcontextprotocol/client';

/** Schemas of a server are never compiled: a hostile pattern would block the process. */
export function clientOptions(): ClientOptions {
  return {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { form: {}, url: {} } },
    inputRequired: { autoFulfill: false },
    listMaxPages: 20,
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  };
}
