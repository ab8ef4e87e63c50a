import { t } from '@lingui/core/macro';

/** What was done, in words. What is not known here is shown as it is called. */
export const actionWords = (): Readonly<Record<string, string>> => ({
  'approval.revoke': t`Took back an approval`,
  'assistant.add': t`Created an assistant`,
  'assistant.change': t`Changed an assistant`,
  'assistant.remove': t`Deleted an assistant`,
  'chat.add': t`Added a chat channel`,
  'chat.assistant': t`Chose the assistant of a chat channel`,
  'chat.code': t`Created a code for a chat`,
  'chat.link': t`Linked a chat`,
  'chat.remove': t`Removed a chat channel`,
  'chat.unlink': t`Removed the link of a chat`,
  'endpoint.add': t`Added a notification endpoint`,
  'endpoint.remove': t`Removed a notification endpoint`,
  'device.put': t`Added a device for notifications`,
  'device.remove': t`Removed a device for notifications`,
  'gate.always': t`Always approved`,
  'gate.approve': t`Approved once`,
  'gate.deny': t`Denied`,
  'gate.each': t`Approved or denied call by call`,
  'gate.overdue': t`Denied: no answer in time`,
  'invitation.create': t`Invited somebody`,
  'invitation.revoke': t`Took back an invitation`,
  'mcp.accept': t`Accepted the tools of an MCP server`,
  'mcp.add': t`Added an MCP server`,
  'mcp.remove': t`Removed an MCP server`,
  'mission.drain': t`Stopped missions for maintenance`,
  'mission.drain-end': t`Let missions run again`,
  'network.open': t`Gave code network for a call`,
  'network.use': t`Ended a call with network`,
  'note.forget': t`Forgot notes by where they came from`,
  'note.keep': t`Kept notes as their own`,
  'origin.vouch': t`Trusted a text by others`,
  'pairing.remove': t`Ended a pairing`,
  'policy.set': t`Set a tool's policy`,
  'policy.unset': t`Removed a tool's policy`,
  'provider.put': t`Changed a model provider`,
  'provider.remove': t`Removed a model provider`,
  'search.put': t`Changed the search engine`,
  'search.remove': t`Removed the search engine`,
  'secret.put': t`Stored a secret`,
  'secret.remove': t`Removed a secret`,
  'secret.renew': t`Renewed a secret`,
  'secret.use': t`Used secrets`,
  'session.revoke': t`Signed a browser out`,
  'settings.change': t`Changed settings`,
  'sign-in': t`Signed in`,
  'sign-out': t`Signed out`,
  'skill.add': t`Added a skill`,
  'skill.remove': t`Removed a skill`,
  'thread.network': t`Changed whether code of a thread has network`,
  'thread.share': t`Shared a thread by a link`,
  'thread.unshare': t`Ended the link of a thread`,
  'token.create': t`Made a token`,
  'token.revoke': t`Revoked a token`,
  'tool.install': t`Installed a tool`,
  'tool.quarantine': t`Forbade a tool that tried to send a secret`,
  'tool.remove': t`Removed a tool`,
  'user.add': t`Added a user`,
  'project.give': t`Gave away projects`,
  'project.leave': t`Left a project`,
  'project.share': t`Shared a project`,
  'project.unshare': t`Ended a membership of a project`,
  'retention.set': t`Set how long data is kept`,
  'user.arrive': t`A user came from another cell`,
  'user.change': t`Changed a name or a role`,
  'user.erase': t`Began to erase a user`,
  'user.erased': t`Erased a user`,
  'user.export': t`Exported the data of a user`,
  'user.limit': t`Set spending limits`,
  'user.join': t`Came by an invitation`,
  'user.link': t`Linked a sign-on`,
  'user.first-sign-in': t`Came for the first time`,
  'user.move': t`Moved a user to another cell`,
  'user.remove': t`Removed a user`,
  'webhook-route.add': t`Added a webhook route`,
  'webhook-route.remove': t`Removed a webhook route`,
});

export const wordsOfAction = (action: string) => actionWords()[action] ?? action;

type Entry = {
  readonly actor: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Names of users, by ID. */
export type Names = Readonly<Record<string, string>>;

/** The name of a user; the operator of the service's token has no account. */
export const nameOfUser = (id: string, names: Names): string => names[id] ?? withoutAccount()[id] ?? id;

/** `*`: no one, or all users. */
const withoutAccount = (): Readonly<Record<string, string>> => ({ operator: t`Operator`, '*': t`The service` });

/** The name, if there is one; left out when users act on themselves. An id says nothing: the details have it. */
export function nameOfSubject({ actor, subject, detail }: Entry, names: Names): string {
  if (typeof detail['name'] === 'string') return detail['name'];
  const tools = [detail['tools'] ?? detail['tool']].flat().filter((tool) => typeof tool === 'string');
  if (tools.length > 0) return tools.join(', ');
  if (subject === null || subject === actor) return '';
  const name = names[subject] ?? withoutAccount()[subject] ?? settings()[subject] ?? subject;
  return UUID.test(name) ? '' : name;
}

/** Settings that the service makes for itself. */
const settings = (): Readonly<Record<string, string>> => ({
  push_public_key: t`the key for notifications in browsers`,
  'push:vapid': t`the key for notifications in browsers`,
  secrets_key: t`the key for stored secrets`,
});

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
