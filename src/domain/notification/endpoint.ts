import type { EndpointId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { NoticeType } from './notice.ts';

/** An address that gets a user's events as signed requests. */
export type Endpoint = {
  readonly id: EndpointId;
  readonly userId: UserId;
  readonly name: string;
  readonly url: string;
  readonly events: readonly NoticeType[];
  /** Which ends of turns it gets. */
  readonly turns: 'failed' | 'all';
  /** The events of all users. Only an operator can have such an endpoint. */
  readonly everyone: boolean;
  /** Whether `mission.completed` contains the result. Only for the owner's own events. */
  readonly results: boolean;
  /** Set once it has answered that it wants nothing more. */
  readonly goneAt: Date | null;
  readonly createdAt: Date;
};

export type NewEndpoint = Pick<Endpoint, 'name' | 'url' | 'events' | 'turns' | 'everyone' | 'results'>;

/** The daily hours without notifications. Notices wait until they end. */
export type QuietHours = {
  /** Local times, such as 22:00. `until` may be on the next day. */
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
};
