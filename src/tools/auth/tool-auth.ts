/** How a tool gets the credential it needs, as its author describes it. */
export type ToolAuth = {
  readonly secretName: string;
  readonly displayName?: string | undefined;
  readonly instructions?: string | undefined;
  readonly setupUrl?: string | undefined;
  readonly tokenHint?: string | undefined;
  readonly envVar?: string | undefined;
  readonly oauth?: OAuthSettings | undefined;
};

export type OAuthSettings = {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly clientIdEnv?: string | undefined;
  readonly clientSecretEnv?: string | undefined;
  readonly clientIdSecret?: string | undefined;
  readonly clientSecretSecret?: string | undefined;
  readonly scopes: readonly string[];
  readonly redirectPort?: number | undefined;
};

/** A variable of the operator's environment, by the name that a tool's author chose. */
export type Environment = (name: string) => string | undefined;
