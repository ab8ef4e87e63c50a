import type { AccountTables } from './account-tables.ts';
import type { ChatTables } from './chat-tables.ts';
import type { DeliveryTables } from './delivery-tables.ts';
import type { FileTables } from './file-tables.ts';
import type { GateTables } from './gate-tables.ts';
import type { NoteTables } from './note-tables.ts';
import type { ServiceTables } from './service-tables.ts';
import type { SpendingTables } from './spending-tables.ts';
import type { ThreadTables } from './thread-tables.ts';
import type { ToolTables } from './tool-tables.ts';
import type { WorkTables } from './work-tables.ts';

/** The columns of every table, named as in the domain. */
export type Tables = AccountTables &
  ChatTables &
  DeliveryTables &
  FileTables &
  GateTables &
  NoteTables &
  ServiceTables &
  SpendingTables &
  ThreadTables &
  ToolTables &
  WorkTables;
