/** Which records a listing includes: those that fit every member that is given. */
export interface RecordFilter {
  /** The statuses of the records; an empty list includes none. */
  readonly statuses?: readonly string[] | undefined;
  /** The intent of the records. */
  readonly intent?: string | undefined;
  /** True for records that were escalated. */
  readonly escalated?: boolean | undefined;
  /** The customer of the records. */
  readonly customerId?: string | undefined;
  /** Records that were created at this time or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Records that were created before this time, in milliseconds since the epoch. */
  readonly until?: number | undefined;
}

/** The fields of a record that a {@link RecordFilter} compares. A record without a field fits no filter on it. */
export interface FilterFields {
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly status?: string;
  readonly intent?: string;
  readonly escalated?: boolean;
  readonly customerId?: string;
}

/** The fields of a collection whose records are not filtered. */
export const noFilterFields = (): FilterFields => noFields;

const noFields: FilterFields = {};

/** True for a record whose fields fit the filter. */
export function fitsFilter(fields: FilterFields, filter: RecordFilter): boolean {
  const { statuses, intent, escalated, customerId } = filter;
  if (statuses !== undefined && (fields.status === undefined || !statuses.includes(fields.status)))
    return false;
  if (intent !== undefined && fields.intent !== intent) return false;
  if (escalated !== undefined && fields.escalated !== escalated) return false;
  if (customerId !== undefined && fields.customerId !== customerId) return false;
  return isCreatedWithin(fields.createdAt, filter);
}

function isCreatedWithin(createdAt: string | undefined, { since, until }: RecordFilter): boolean {
  if (since === undefined && until === undefined) return true;
  const ms = Date.parse(createdAt ?? '');
  return (since === undefined || ms >= since) && (until === undefined || ms < until);
}
