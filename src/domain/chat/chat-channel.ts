/** The channels whose messages come from accounts on chat platforms. */
export const CHAT_CHANNELS = ['telegram', 'slack', 'mail'] as const;
export type ChatChannel = (typeof CHAT_CHANNELS)[number];

export const isChatChannel = (name: string): name is ChatChannel => CHAT_CHANNELS.some((known) => known === name);
