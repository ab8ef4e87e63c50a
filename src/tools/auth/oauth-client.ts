import type { SecretHolder } from '../secrets/holder.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { AuthFailure } from './auth-failure.ts';
import type { Environment, OAuthSettings } from './tool-auth.ts';

/** Who we are to the provider. */
export type OAuthClient = { readonly id: string; readonly secret?: string | undefined };

type Sources = { readonly secrets: Pick<Secrets, 'find'>; readonly environment: Environment };

export async function getOAuthClient(
  { secrets, environment }: Sources,
  oauth: OAuthSettings,
  holder: SecretHolder,
): Promise<OAuthClient> {
  const read = async (variable: string | undefined, secretName: string | undefined) =>
    (variable && environment(variable)) ||
    (secretName ? (await secrets.find(holder, secretName))?.reveal() : undefined);

  const id = await read(oauth.clientIdEnv, oauth.clientIdSecret);
  if (!id) throw new AuthFailure(`The OAuth client id is missing. ${whereToPut(oauth)}`);
  return { id, secret: await read(oauth.clientSecretEnv, oauth.clientSecretSecret) };
}

function whereToPut({ clientIdEnv, clientIdSecret }: OAuthSettings): string {
  const ways = [
    ...(clientIdEnv ? [`set ${clientIdEnv} in the environment`] : []),
    ...(clientIdSecret ? [`store the secret "${clientIdSecret}" with \`reborn tool setup\``] : []),
  ];
  if (ways.length === 0) return "The tool's capabilities file must name client_id_env or client_id_secret.";
  return `To continue, ${ways.join(', or ')}.`;
}
