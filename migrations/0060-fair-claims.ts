/** `claim_turns` walks along the waiting turns user by user. Turns that start at once are never in this index. */
export async function up(): Promise<void> {}

export const indexes = ['turns_ready_by_user on turns (user_id, ready_at) where ready_at is not null'];

export const worksWith = '0022-sign-in-codes';
