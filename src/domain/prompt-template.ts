/** A text that a user sends often. `{{topic}}` in it is a variable. */
export type PromptTemplate = { readonly name: string; readonly text: string; readonly updatedAt: Date };

/** What follows the `/`: such as `review` or `weekly-report`. */
export const TEMPLATE_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export const MAX_TEMPLATES = 200;
