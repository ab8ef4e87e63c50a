/** The name under which the key of a model provider is stored among the secrets. */
export const modelKeyName = (provider: string): string => `${PREFIX}${provider}`;

const PREFIX = 'model.';

/**
 * Whether texts are searched for a model's key. Local models take any key, often `x` or `ollama`, which occurs in ordinary
 * words: a text without it would be spoilt.
 */
export const isSearchedKey = (key: string): boolean => key.length >= 8;

/** The same for a stored secret, which may be something else than a model's key. */
export const isSearchedSecret = (name: string, value: string): boolean =>
  !name.startsWith(PREFIX) || isSearchedKey(value);
