/** Goes to where a message is written, if the page has that. */
export const focusComposer = () => document.querySelector<HTMLElement>('[data-composer]')?.focus();
