import type { UserId } from '../principal.ts';

/** An MCP server whose tools the agent can call. */
export type McpServer = {
  readonly id: string;
  /** `*` for a server that the operator shares with everyone. */
  readonly userId: UserId;
  readonly name: string;
  /** `stdio:` and the command, for a server that is started as a program. */
  readonly url: string;
  /** The program and its arguments; null for a server at an address. */
  readonly command: readonly string[] | null;
  /** The operator allows its origin although it is on a private network. */
  readonly privateNetwork: boolean;
  /** The operator believes the server when it says that a call may be repeated. */
  readonly trustAnnotations: boolean;
  readonly headers: readonly McpHeader[];
  /** How users sign in to it; null while it has not asked for that. */
  readonly oauth: McpOAuth | null;
  readonly discovery: McpDiscovery;
  readonly offers: McpOffers;
  /** As the server listed them last. */
  readonly tools: readonly McpTool[];
  /** Why tools of the server are not offered, in sentences. */
  readonly leftOut: readonly string[];
  /** As they were when a person last reviewed them. */
  readonly accepted: readonly McpTool[];
  /** Why the last listing failed. */
  readonly problem: string | null;
  /** Listings that failed since the last success. */
  readonly failures: number;
  readonly listedAt: Date;
  readonly refreshAt: Date;
  readonly createdAt: Date;
};

/** A header of every request, or a variable of the environment of a program. The rest of its value is a secret. */
export type McpHeader = { readonly name: string; readonly prefix: string };

/** The authorization server that a server named when it was added. A server that names another one later is not trusted. */
export type McpOAuth = {
  readonly issuer: string;
  /** Where the server says so; null for the usual address. */
  readonly metadataUrl: string | null;
  readonly scopes: readonly string[];
  /** A client that was registered by hand. */
  readonly clientId: string | null;
};

/** The protocol that the server speaks; `discover` is its answer, which saves the next client a round trip. */
export type McpDiscovery = { readonly version: string; readonly discover: unknown };

/** What a server offers besides tools. */
export type McpOffers = {
  /** Whether it has resources. They are listed when someone looks at them. */
  readonly resources: boolean;
  readonly prompts: readonly McpPrompt[];
};

/** A text that a server writes for a person to send, cleaned and bounded. */
export type McpPrompt = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
};

export type McpPromptArgument = { readonly name: string; readonly description: string; readonly required: boolean };

/** A tool of a server, cleaned and bounded. The three hints are claims of the server. */
export type McpTool = {
  readonly name: string;
  /** What people call it. */
  readonly title?: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** Changes with everything above and with the address of the server. */
  readonly digest: string;
};

/** Without underscores, so that the name of a tool can be split in one way only. */
export const isMcpServerName = (name: string): boolean => /^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(name);

/** Begins the names of all tools of a server. */
export const mcpPrefix = (server: string): string => `${server}__`;

/** Whether the tool is as it was when a person reviewed it. */
export const isReviewed = ({ accepted }: Pick<McpServer, 'accepted'>, { digest }: McpTool): boolean =>
  accepted.some((tool) => tool.digest === digest);
