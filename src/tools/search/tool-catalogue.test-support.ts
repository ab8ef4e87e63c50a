import type { ToolDefinition } from '#domain/tool/tool.ts';

/** Five servers with 40 tools each, described as published servers describe theirs. */
const SERVERS: Record<string, Record<string, string>> = {
  github: {
    issue: 'a bug report or feature request of a repository',
    pull_request: 'a proposed change with its diff, reviews and checks',
    branch: 'a line of development of a repository',
    commit: 'a recorded change with its author and message',
    release: 'a published version with notes and files',
    workflow_run: 'a run of continuous integration with its jobs and logs',
    label: 'a coloured tag on issues and pull requests',
    review_comment: 'a remark on a line of a diff',
  },
  workspace: {
    event: 'an appointment or meeting in a calendar, with guests and a time',
    message: 'an e-mail with subject, body and recipients',
    draft: 'an unsent e-mail',
    document: 'a text document with headings and paragraphs',
    spreadsheet_row: 'a row of cells in a sheet',
    contact: 'a person with phone number and address',
    task_item: 'a to-do with a due date',
    meeting_room: 'a bookable room with seats and a screen',
  },
  crm: {
    customer: 'a company that buys from us, with its account manager',
    deal: 'a sales opportunity with a stage and an expected value',
    quote: 'a price offer for a customer',
    ticket: 'a support request with a priority and a status',
    campaign: 'a marketing mailing with its audience and open rate',
    lead: 'a prospect who filled in a form',
    contract: 'a signed agreement with a term and a renewal date',
    survey: 'a questionnaire about satisfaction',
  },
  shop: {
    order: 'a purchase with its items, payment and delivery',
    product: 'an article in the catalogue with price and pictures',
    stock_level: 'how many pieces are in a warehouse',
    refund: 'money that is paid back to a buyer',
    discount_code: 'a voucher that lowers the price at checkout',
    shipment: 'a parcel with carrier and tracking number',
    invoice: 'a bill with VAT and payment terms',
    supplier: 'a vendor that delivers goods, with lead times',
  },
  infra: {
    container: 'a running process image on a host',
    database_backup: 'a snapshot of a PostgreSQL cluster that can be restored',
    dns_record: 'a name with its IP address and TTL',
    certificate: 'a TLS key pair with an expiry date',
    alert_rule: 'a threshold on a metric that notifies on-call engineers',
    log_query: 'a saved search over log lines',
    secret_version: 'an encrypted value in the vault',
    load_balancer: 'spreads traffic over healthy targets',
  },
};

const ACTIONS: Record<string, string> = {
  list: 'Lists several at once, with filters and pages:',
  get: 'Shows the details of one by its id:',
  create: 'Adds a new one:',
  update: 'Changes fields of an existing one:',
  delete: 'Removes one permanently:',
};

export const CATALOGUE: readonly (ToolDefinition & { readonly server: string })[] = Object.entries(SERVERS).flatMap(
  ([server, nouns]) =>
    Object.entries(nouns).flatMap(([noun, gloss]) =>
      Object.entries(ACTIONS).map(([action, sentence]) => ({
        server,
        name: `${server}__${action}_${noun}`,
        description: `${sentence} ${gloss}.`,
        parameters: {
          type: 'object',
          properties: { id: { type: 'string', description: 'Which one.' }, [`${noun}_name`]: { type: 'string' } },
        },
        strict: null,
      })),
    ),
);

/** What a model would search for, and the tool that it needs. */
export const REQUESTS: readonly (readonly [string, string])[] = [
  ['file a bug report in the repository', 'github__create_issue'],
  ['show details of a pull request and its checks', 'github__get_pull_request'],
  ['remove an old branch', 'github__delete_branch'],
  ['list commits by author', 'github__list_commit'],
  ['publish a new release with notes', 'github__create_release'],
  ['get logs of a failed continuous integration run', 'github__get_workflow_run'],
  ['add a coloured label', 'github__create_label'],
  ['change my review comment on a diff line', 'github__update_review_comment'],
  ['create calendar appointment with guests', 'workspace__create_event'],
  ['list e-mails by subject', 'workspace__list_message'],
  ['delete an unsent e-mail draft', 'workspace__delete_draft'],
  ['update paragraphs in a text document', 'workspace__update_document'],
  ['add row of cells to sheet', 'workspace__create_spreadsheet_row'],
  ["get a contact's phone number", 'workspace__get_contact'],
  ['new to-do task with due date', 'workspace__create_task_item'],
  ['list bookable meeting rooms', 'workspace__list_meeting_room'],
  ['customer company details and account manager', 'crm__get_customer'],
  ['change stage of a sales deal', 'crm__update_deal'],
  ['create price quote for a customer', 'crm__create_quote'],
  ['list open support tickets by priority', 'crm__list_ticket'],
  ['get open rate of a marketing campaign', 'crm__get_campaign'],
  ['delete a lead, a prospect from a form', 'crm__delete_lead'],
  ['list contracts by renewal date', 'crm__list_contract'],
  ['create satisfaction survey', 'crm__create_survey'],
  ['get an order with payment and delivery', 'shop__get_order'],
  ['update product price in the catalogue', 'shop__update_product'],
  ['list stock levels in a warehouse', 'shop__list_stock_level'],
  ['create a refund for a buyer', 'shop__create_refund'],
  ['delete discount voucher code', 'shop__delete_discount_code'],
  ['get tracking number of a shipment', 'shop__get_shipment'],
  ['list invoices with VAT', 'shop__list_invoice'],
  ['update lead times of a supplier', 'shop__update_supplier'],
  ['list running containers on host', 'infra__list_container'],
  ['get database backup snapshot to restore', 'infra__get_database_backup'],
  ['create DNS record with IP address', 'infra__create_dns_record'],
  ['list TLS certificates by expiry', 'infra__list_certificate'],
  ['change the threshold of an alert rule', 'infra__update_alert_rule'],
  ['create a saved log search query', 'infra__create_log_query'],
  ['delete secret version from the vault', 'infra__delete_secret_version'],
  ['update load balancer targets', 'infra__update_load_balancer'],
];
