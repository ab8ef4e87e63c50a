import { holdersFor, type SecretHolder } from '../secrets/holder.ts';
import { hideValue, isDue, type Secret, unlessExpired } from '../secrets/secret.ts';
import { checkSecretName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Refresh } from './refresh.ts';
import { findGrant } from './stored-tokens.ts';
import type { Environment, ToolAuth } from './tool-auth.ts';

/** The credentials that tools use on behalf of users. */
export type Wanted = {
  readonly auth: ToolAuth | undefined;
  readonly owner: SecretHolder;
  readonly secretName: string;
};

export type Credentials = {
  /** By priority: the variable that the tool names, a token by OAuth (renewed when it is due), a token that was entered. */
  resolve(wanted: Wanted): Promise<Secret | undefined>;
  /** Whether there is a credential, or a way to get one. Makes no request. */
  exists(wanted: Wanted): Promise<boolean>;
};

type Parts = { readonly secrets: Secrets; readonly environment: Environment; readonly refresh: Refresh };

export function createCredentials({ secrets, environment, refresh }: Parts): Credentials {
  return {
    async resolve(wanted) {
      const given = fromEnvironment(environment, wanted);
      if (given) return given;

      const stored = await findStored(secrets, wanted);
      if (!stored) return undefined;
      const { token, holder, oauth, lifetimeMs } = stored;
      const isRenewed = oauth && (!token || isDue(token, lifetimeMs));
      return isRenewed ? refresh({ holder, name: wanted.secretName, oauth }) : unlessExpired(token);
    },
    async exists(wanted) {
      if (fromEnvironment(environment, wanted)) return true;

      const stored = await findStored(secrets, wanted);
      return stored !== undefined && (stored.oauth ?? unlessExpired(stored.token)) !== undefined;
    },
  };
}

/** The section is about one secret; a tool may use others besides. */
function sectionFor({ auth, secretName }: Wanted): ToolAuth | undefined {
  return auth?.secretName === secretName ? auth : undefined;
}

function fromEnvironment(environment: Environment, wanted: Wanted): Secret | undefined {
  const variable = sectionFor(wanted)?.envVar;
  const value = variable && environment(variable);
  return value ? hideValue(value) : undefined;
}

/** The user's own, or else everyone's, together with the way to renew it if there is one. */
async function findStored(secrets: Secrets, wanted: Wanted) {
  const { owner, secretName } = wanted;
  checkSecretName(secretName);
  for (const holder of holdersFor(owner)) {
    const { token, grant } = await secrets.inVault(holder, async (vault) => ({
      token: await vault.find(secretName),
      grant: await findGrant(vault, secretName),
    }));
    if (!token && !grant) continue;

    const oauth = sectionFor(wanted)?.oauth;
    const isItsOwn = oauth && grant?.tokenUrl === oauth.tokenUrl;
    return { holder, token, oauth: isItsOwn ? oauth : undefined, lifetimeMs: grant?.lifetimeMs };
  }
  return undefined;
}
