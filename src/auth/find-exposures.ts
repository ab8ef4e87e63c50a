import { isWeakToken } from './weak-token.ts';

type Gateway = { readonly enabled: boolean; readonly host: string; readonly authToken: string | undefined };

/** Warnings about a gateway that the network can reach, and whose tokens could be guessed. */
export function findExposures({ enabled, host, authToken }: Gateway, operatorToken: string | undefined): string[] {
  if (!enabled || isLoopback(host)) return [];
  const tokens = { GATEWAY_AUTH_TOKEN: authToken, SERVICE_REBORN_WEBUI_TOKEN: operatorToken };
  return Object.entries(tokens)
    .filter(([, token]) => token !== undefined && isWeakToken(token))
    .map(
      ([name]) =>
        `${name} is weak, and the gateway listens on ${host}, where others can reach it and guess. ` +
        'Set a strong one, such as that of `openssl rand -hex 32`, and put an HTTPS proxy in front.',
    );
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');
