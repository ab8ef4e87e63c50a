type Exposed = {
  readonly gateway: { readonly enabled: boolean; readonly host: string; readonly authToken: string | undefined };
  readonly operatorToken: string | undefined;
  readonly oidc: { readonly issuer: string; readonly allowedDomains: readonly string[] | undefined } | undefined;
};

/** Warnings about settings that may let in more people than the operator intends. */
export function findExposures({ gateway, operatorToken, oidc }: Exposed): string[] {
  return [...findWeakTokens(gateway, operatorToken), ...findOpenSignOn(oidc)];
}

function findOpenSignOn(oidc: Exposed['oidc']): string[] {
  if (!oidc || oidc.allowedDomains) return [];
  return [
    `OIDC_ALLOWED_DOMAINS is not set, so everyone with an account at ${oidc.issuer} can sign in and becomes a user. ` +
      'Set it to the email domains that are allowed.',
  ];
}

/** A gateway that can be reached from the network and has a weak token. */
function findWeakTokens({ enabled, host, authToken }: Exposed['gateway'], operatorToken: string | undefined): string[] {
  if (!enabled || isLoopback(host)) return [];
  const tokens = { GATEWAY_AUTH_TOKEN: authToken, SERVICE_REBORN_WEBUI_TOKEN: operatorToken };
  return Object.entries(tokens)
    .filter(([, token]) => token !== undefined && isWeakToken(token))
    .map(
      ([name]) =>
        `${name} is weak, and the gateway listens on ${host}, where others can reach it and guess the token. ` +
        'Set a strong one, for example from `openssl rand -hex 32`, and put an HTTPS proxy in front.',
    );
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');

const LEAST_BITS = 100;
const FEWEST_CHARACTERS = 8;

const ALPHABETS: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z\d]/, 33],
];

/** Whether a token could be guessed, assuming that its characters were chosen at random. */
export function isWeakToken(token: string): boolean {
  const letters = ALPHABETS.filter(([characters]) => characters.test(token)).reduce((sum, [, size]) => sum + size, 0);
  const bits = token.length * Math.log2(Math.max(letters, 2));
  return bits < LEAST_BITS || new Set(token).size < FEWEST_CHARACTERS;
}
