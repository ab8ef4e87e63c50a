/** What was done, in words. What is not known here is shown as it is called. */
const WORDS: Readonly<Record<string, string>> = {
  'approval.revoke': 'Took back an approval',
  'chat.add': 'Added a chat channel',
  'chat.code': 'Created a code for a chat',
  'chat.link': 'Linked a chat',
  'chat.remove': 'Removed a chat channel',
  'chat.unlink': 'Removed the link of a chat',
  'endpoint.add': 'Added a notification endpoint',
  'endpoint.remove': 'Removed a notification endpoint',
  'device.put': 'Added a device for notifications',
  'device.remove': 'Removed a device for notifications',
  'gate.always': 'Always approved',
  'gate.approve': 'Approved once',
  'gate.deny': 'Denied',
  'gate.overdue': 'Denied: no answer in time',
  'mission.drain': 'Stopped missions for maintenance',
  'mission.drain-end': 'Let missions run again',
  'pairing.remove': 'Ended a pairing',
  'policy.set': "Set a tool's policy",
  'policy.unset': "Removed a tool's policy",
  'provider.put': 'Changed a model provider',
  'provider.remove': 'Removed a model provider',
  'secret.put': 'Stored a secret',
  'secret.remove': 'Removed a secret',
  'secret.renew': 'Renewed a secret',
  'secret.use': 'Used secrets',
  'settings.change': 'Changed settings',
  'sign-in': 'Signed in',
  'sign-out': 'Signed out',
  'skill.add': 'Added a skill',
  'skill.remove': 'Removed a skill',
  'thread.share': 'Shared a thread by a link',
  'thread.unshare': 'Ended the link of a thread',
  'token.create': 'Made a token',
  'token.revoke': 'Revoked a token',
  'tool.install': 'Installed a tool',
  'tool.remove': 'Removed a tool',
  'user.add': 'Added a user',
  'retention.set': 'Set how long data is kept',
  'user.erase': 'Began to erase a user',
  'user.erased': 'Erased a user',
  'user.export': 'Exported the data of a user',
  'user.limit': 'Set spending limits',
  'user.link': 'Linked a sign-on',
  'user.first-sign-in': 'Came for the first time',
  'user.remove': 'Removed a user',
  'webhook-route.add': 'Added a webhook route',
  'webhook-route.remove': 'Removed a webhook route',
};

export const wordsOfAction = (action: string) => WORDS[action] ?? action;

type Entry = {
  readonly actor: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** The name, if known; left out when users act on themselves. */
export function nameOfSubject({ actor, subject, detail }: Entry): string {
  if (typeof detail['name'] === 'string') return detail['name'];
  return subject === null || subject === actor ? '' : subject;
}
