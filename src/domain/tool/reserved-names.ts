/** Prefixes of the names of built-in tools. No other tool can use them, so the service can add tools later. */
export const RESERVED_PREFIXES = ['memory_', 'skill_', 'mission_', 'reborn_'] as const;

export const isReservedName = (name: string): boolean => RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Opens web addresses. Opened pages count when the next address is judged. */
export const WEB_FETCH = 'reborn_web_fetch';

/** Asks the person for a budget of searches and pages. */
export const RESEARCH = 'reborn_research';

/** Asks the operator's search engine. */
export const WEB_SEARCH = 'reborn_web_search';

/** Searches the vector stores that a request names. */
export const STORE_SEARCH = 'reborn_store_search';
