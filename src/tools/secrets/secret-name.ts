const NAME = /^[\w.-]{1,128}$/;

export const isSecretName = (name: string) => NAME.test(name);

export function checkSecretName(name: string): void {
  if (!isSecretName(name))
    throw new Error(
      `${JSON.stringify(name.slice(0, 200))} can't name a secret; use up to 128 letters, digits, dots, dashes and underscores.`,
    );
}

/** Where the means to renew a secret lie. No tool can name this place, for a colon is in no secret's name. */
export const grantName = (name: string) => `${name}:grant`;

/** The name under which a sign-in that was started in a browser is stored. */
export const signInName = (name: string) => `${name}:sign-in`;

/** The name under which the client of a sign-in is stored. */
export const clientName = (name: string) => `${name}:client`;
