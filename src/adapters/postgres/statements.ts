import type { Change, RangeRequest, Selection, TakeRequest } from '../../ports/storage/store.ts';
import { encodeIndexText, encodeText, type Layout, PLACE, type SqlColumn, type SqlTable } from './layout.ts';

/** A statement with the values of its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The columns of a row that is read: its id, version, position and JSON, and its body. */
const rowColumns = 'id, version, position, json';
const withBodyColumns = `${rowColumns}, body`;

/** Adds values, and returns what stands for them in the statement. */
interface Parameters {
  readonly values: readonly unknown[];
  text(value: string | null): string;
  texts(values: readonly string[]): string;
  /** An integer; what is greater than any of JavaScript is the greatest one. */
  number(value: number | null): string;
  numbers(values: readonly number[]): string;
}

function createParameters(): Parameters {
  const values: unknown[] = [];
  const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  return {
    values,
    text: (value) => add(value, 'text'),
    texts: (list) => add([...list], 'text[]'),
    number: (value) => add(value === null ? null : bounded(value), 'bigint'),
    numbers: (list) => add([...list], 'bigint[]'),
  };
}

function bounded(value: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
}

/** The part of a commit that writes one row. */
interface Part {
  /** The expression that writes it, and gives at most one row with its version; none to write nothing. */
  readonly writes: string | undefined;
  /** True where it must give a row. */
  readonly isRequired: boolean;
}

/** A commit as a statement, and the places of its changes in the list of versions that the statement gives. */
export interface CommitStatement extends Statement {
  readonly places: readonly number[];
}

/**
 * A commit as one statement. It gives one row with the list of versions; none where its only change does not fit, and
 * `OTHER_VERSION` where one of several does not. `payloads` are sent as notices. Rows are written in the order of their
 * tables and ids, so that two commits do not wait for each other: the elements of a list are evaluated in their order,
 * and each reads the expression that writes its row.
 */
export function commitStatement(
  layout: Layout,
  changes: readonly Change[],
  payloads: readonly string[],
  now: number,
): CommitStatement {
  const parameters = createParameters();
  let time: string | undefined;
  // A parameter that no part of the statement names is an error.
  const timeOf = (): string => {
    time ??= parameters.number(now);
    return time;
  };
  const ordered = changes
    .map((change, place) => ({ change, place }))
    .sort((a, b) => compare(a.change, b.change));
  // New rows have positions in the order of the changes, whatever the order in which they are written.
  const expressions = [
    `numbers AS MATERIALIZED (
      SELECT array_agg(${layout.nextNumber}) AS list FROM generate_series(1, ${parameters.number(changes.length)})
    )`,
  ];
  const versions: string[] = [];
  const places: number[] = [];
  for (const [number, { change, place }] of ordered.entries()) {
    const name = `c${number}`;
    const { writes, isRequired } = partOf(layout, change, parameters, { time: timeOf, place });
    places[place] = number;
    const version = writes === undefined ? '0' : `(SELECT version FROM ${name})`;
    if (writes !== undefined) expressions.push(`${name} AS (${writes})`);
    if (!isRequired) versions.push(`coalesce(${version}, 0)`);
    else versions.push(changes.length > 1 ? `${layout.must}(${version})` : version);
    const events = change.append?.events ?? [];
    if (writes === undefined || events.length === 0 || change.next === null) continue;
    const last = parameters.number((change.append?.after ?? 0) + events.length);
    expressions.push(
      `e${number} AS (INSERT INTO ${layout.events} (position, last_seq, json)
        SELECT position, ${last}, ${parameters.texts(events)} FROM ${name} WHERE position IS NOT NULL)`,
    );
  }
  const notify =
    payloads.length === 0
      ? ''
      : `, (SELECT count(pg_notify(${parameters.text(layout.channel)}, payload))
          FROM unnest(${parameters.texts(payloads)}) AS payload)`;
  const text = `WITH ${expressions.join(', ')}
    SELECT versions${notify} FROM (SELECT ARRAY[${versions.join(', ')}]::bigint[] AS versions OFFSET 0) AS done
    WHERE array_position(versions, NULL) IS NULL`;
  return { text, values: parameters.values, places };
}

function compare(a: Change, b: Change): number {
  if (a.table !== b.table) return a.table < b.table ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function partOf(
  layout: Layout,
  change: Change,
  parameters: Parameters,
  { time, place }: { time: () => string; place: number },
): Part {
  const { expects, next, ifAbsent = false, append } = change;
  const table = tableOf(layout, change.table);
  if (next === null && ifAbsent) return { writes: undefined, isRequired: false };
  const after = append?.after ?? 0;
  // A new row has no event before its first, so that with any the row must be there.
  if (next !== null && after > 0 && expects === null && !ifAbsent) return stays('false');
  const id = parameters.text(encodeText(change.id));
  const isLive = (): string => `(expires_at IS NULL OR expires_at > ${time()})`;
  const isThere = (): string => `EXISTS (SELECT FROM ${table.name} WHERE id = ${id} AND ${isLive()})`;
  if (next !== null && after > 0 && ifAbsent) return stays(isThere());
  if (next === null && expects === null) return stays(`NOT ${isThere()}`);
  const isExpected = (): string =>
    typeof expects === 'number' ? ` AND version = ${parameters.number(expects)}` : '';
  if (next === null) {
    const condition = expects === undefined ? '' : `${isExpected()} AND ${isLive()}`;
    return {
      writes: `DELETE FROM ${table.name} WHERE id = ${id}${condition} RETURNING 0::bigint AS version`,
      isRequired: expects !== undefined,
    };
  }
  const columns = [...table.columns.entries()];
  const { body } = next;
  const values = new Map([
    ['json', parameters.text(next.json)],
    ...(body === undefined ? [] : [['body', parameters.text(body)] as const]),
    ['expires_at', parameters.number(next.expiresAt)],
    ...columns.map(([index, column]): [string, string] => [
      column.name,
      indexValue(column, next.indexes[index] ?? null, parameters),
    ]),
  ]);
  const added = append?.events.length ?? 0;
  const number = `(SELECT list[${place + 1}] FROM numbers)`;
  if (!ifAbsent && (typeof expects === 'number' || after > 0)) {
    const isFitting = append === undefined ? '' : ` AND events = ${parameters.number(after)}`;
    const set = [...values].map(([column, value]) => `${column} = ${value}`);
    return {
      writes: `UPDATE ${table.name} SET version = ${number}, events = events + ${added}, ${set.join(', ')}
        WHERE id = ${id}${isExpected()}${isFitting} AND ${isLive()} RETURNING version, position`,
      isRequired: true,
    };
  }
  const names = [...values.keys()];
  const isExpired = `r.expires_at <= ${time()}`;
  const replaced = [
    ...names.map((column) => `${column} = excluded.${column}`),
    ...(body === undefined ? [`body = CASE WHEN ${isExpired} THEN NULL ELSE r.body END`] : []),
  ].join(', ');
  const isReplaced = ifAbsent || expects === null ? isExpired : append && `(${isExpired} OR r.events = 0)`;
  return {
    writes: `INSERT INTO ${table.name} AS r (id, version, position, events, ${names.join(', ')})
      SELECT ${id}, ${number}, ${number}, ${added}, ${[...values.values()].join(', ')}
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, ${replaced},
        position = CASE WHEN ${isExpired} THEN excluded.position ELSE r.position END,
        events = CASE WHEN ${isExpired} THEN 0 ELSE r.events END + ${added}
      ${isReplaced === undefined ? '' : `WHERE ${isReplaced}`} RETURNING version, position`,
    isRequired: !ifAbsent,
  };
}

/** A row that is only looked at. */
function stays(condition: string): Part {
  return {
    writes: `SELECT 0::bigint AS version, NULL::bigint AS position WHERE ${condition}`,
    isRequired: true,
  };
}

function indexValue({ type }: SqlColumn, value: string | number | null, parameters: Parameters): string {
  if (type === 'bigint') return parameters.number(typeof value === 'number' ? value : null);
  return parameters.text(typeof value === 'string' ? encodeIndexText(value) : null);
}

function tableOf(layout: Layout, name: string): SqlTable {
  const table = layout.tables.get(name);
  if (table === undefined) throw new Error(`the store keeps no table ${JSON.stringify(name)}`);
  return table;
}

function columnOf(table: SqlTable, index: string, type?: SqlColumn['type']): SqlColumn {
  const column = table.columns.get(index);
  if (column === undefined || column.type !== (type ?? column.type))
    throw new Error(`${table.name} has no such index ${JSON.stringify(index)}`);
  return column;
}

/** Rows by their ids. */
export function readStatement(
  layout: Layout,
  name: string,
  { ids, withBody = false, now }: { ids: readonly string[]; withBody?: boolean | undefined; now: number },
): Statement {
  const parameters = createParameters();
  const found = `id = ANY(${parameters.texts(ids.map(encodeText))}) AND ${liveUntil(parameters, now)}`;
  const columns = withBody ? withBodyColumns : rowColumns;
  const text = `SELECT ${columns} FROM ${tableOf(layout, name).name} WHERE ${found}`;
  return { text, values: parameters.values };
}

function liveUntil(parameters: Parameters, now: number): string {
  return `(expires_at IS NULL OR expires_at > ${parameters.number(now)})`;
}

/** The values of an index that a selection names, as they are stored: those of another type are in no row. */
function wantedValues(
  { type }: SqlColumn,
  wanted: string | number | readonly (string | number)[],
): readonly (string | number)[] {
  const values = [wanted].flat();
  const fitting =
    type === 'text'
      ? values.filter((value) => typeof value === 'string').map(encodeIndexText)
      : values.filter(Number.isSafeInteger);
  return [...new Set(fitting)];
}

function isOneOf(
  { name, type }: SqlColumn,
  values: readonly (string | number)[],
  parameters: Parameters,
): string {
  const [first, ...rest] = values;
  if (type === 'text')
    return rest.length === 0
      ? `${name} = ${parameters.text(String(first))}`
      : `${name} = ANY(${parameters.texts(values.map(String))})`;
  return rest.length === 0
    ? `${name} = ${parameters.number(Number(first))}`
    : `${name} = ANY(${parameters.numbers(values.map(Number))})`;
}

/** The conditions of rows that are selected and have not expired; undefined where there can be none. */
function conditionsOf(
  table: SqlTable,
  { where = {}, between = {} }: Selection,
  parameters: Parameters,
  now: number,
): string[] | undefined {
  const conditions = [liveUntil(parameters, now)];
  for (const [index, wanted] of Object.entries(where)) {
    const column = columnOf(table, index);
    const values = wantedValues(column, wanted);
    if (values.length === 0) return undefined;
    conditions.push(isOneOf(column, values, parameters));
  }
  for (const [index, { from, until }] of Object.entries(between)) {
    const { name } = columnOf(table, index, 'bigint');
    conditions.push(`${name} IS NOT NULL`);
    if (from !== undefined) conditions.push(`${name} >= ${parameters.number(Math.ceil(from))}`);
    if (until !== undefined) conditions.push(`${name} < ${parameters.number(Math.ceil(until))}`);
  }
  return conditions;
}

/** A part of a listing; undefined where it is empty. */
export function rangeStatement(
  layout: Layout,
  name: string,
  request: RangeRequest,
  now: number,
): Statement | undefined {
  const { order, descending = false, after, limit, offset = 0, withBody = false, ...selection } = request;
  const read = withBody ? withBodyColumns : rowColumns;
  const table = tableOf(layout, name);
  const parameters = createParameters();
  const split = order === undefined ? splitValues(table, selection) : undefined;
  const conditions = conditionsOf(table, split?.rest ?? selection, parameters, now);
  if (conditions === undefined) return undefined;
  const [direction, beyond] = descending ? ['DESC', '<'] : ['ASC', '>'];
  const hasText = Object.keys(selection.where ?? {}).some((index) => columnOf(table, index).type === 'text');
  const position = hasText ? 'position' : PLACE;
  let ordering = `${position} ${direction}`;
  if (order !== undefined) {
    const column = columnOf(table, order, 'bigint').name;
    ordering = `${column} ${direction}, id ${direction}`;
    conditions.push(`${column} IS NOT NULL`);
    if (after !== undefined) {
      const place = `${parameters.number(after.value)}, ${parameters.text(encodeText(after.id))}`;
      conditions.push(`(${column}, id) ${beyond} (${place})`);
    }
  } else if (after !== undefined) {
    conditions.push(`${position} ${beyond} ${parameters.number(after.value)}`);
  }
  const page = `ORDER BY ${ordering} LIMIT ${parameters.number(limit)} OFFSET ${parameters.number(offset)}`;
  const where = conditions.join(' AND ');
  if (split === undefined) {
    const text = `SELECT ${read} FROM ${table.name} WHERE ${where} ${page}`;
    return { text, values: parameters.values };
  }
  // The rows of each value in their order, of which no more are read than the page needs.
  const text = `SELECT ${read} FROM unnest(${parameters.texts(split.values)}) AS wanted CROSS JOIN LATERAL (
      SELECT ${read} FROM ${table.name} WHERE ${split.column.name} = wanted AND ${where}
      ORDER BY ${ordering} LIMIT ${parameters.number(limit + offset)}
    ) AS found ${page}`;
  return { text, values: parameters.values };
}

/** The first text index of which several values are wanted, with its values, and the selection without it. */
function splitValues(table: SqlTable, selection: Selection) {
  for (const [index, wanted] of Object.entries(selection.where ?? {})) {
    const column = columnOf(table, index);
    const values = wantedValues(column, wanted);
    if (column.type !== 'text' || values.length < 2) continue;
    const { [index]: _, ...where } = selection.where ?? {};
    return { column, values: values.map(String), rest: { ...selection, where } };
  }
  return undefined;
}

/** The number of rows of a selection; undefined where there are none. */
export function countStatement(
  layout: Layout,
  name: string,
  selection: Selection,
  now: number,
): Statement | undefined {
  const table = tableOf(layout, name);
  const parameters = createParameters();
  const conditions = conditionsOf(table, selection, parameters, now);
  if (conditions === undefined) return undefined;
  const text = `SELECT count(*) FROM ${table.name} WHERE ${conditions.join(' AND ')}`;
  return { text, values: parameters.values };
}

/** Hands out rows that no other statement is writing; undefined where there are none. */
export function takeStatement(
  layout: Layout,
  name: string,
  request: TakeRequest,
  now: number,
): Statement | undefined {
  const { index, until, to, limit, ...selection } = request;
  const table = tableOf(layout, name);
  const parameters = createParameters();
  const conditions = conditionsOf(table, selection, parameters, now);
  if (conditions === undefined) return undefined;
  const column = columnOf(table, index, 'bigint').name;
  conditions.push(`${column} <= ${parameters.number(Math.floor(until))}`);
  const text = `WITH found AS (
      SELECT id AS found_id, ${column} AS place FROM ${table.name} WHERE ${conditions.join(' AND ')}
      ORDER BY ${column}, id LIMIT ${parameters.number(limit)} FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE ${table.name} SET ${column} = ${parameters.number(to)} FROM found WHERE id = found_id
      RETURNING ${rowColumns}, place
    )
    SELECT ${rowColumns} FROM taken ORDER BY place, id`;
  return { text, values: parameters.values };
}

/** Sets the number of all rows of a selection, and gives how many they are; undefined where there are none. */
export function moveStatement(
  layout: Layout,
  name: string,
  { selection, index, to, now }: { selection: Selection; index: string; to: number; now: number },
): Statement | undefined {
  const table = tableOf(layout, name);
  const parameters = createParameters();
  const conditions = conditionsOf(table, selection, parameters, now);
  if (conditions === undefined) return undefined;
  const column = columnOf(table, index, 'bigint').name;
  // In the order in which commits write them.
  const text = `WITH found AS (
      SELECT id AS found_id FROM ${table.name} WHERE ${conditions.join(' AND ')} ORDER BY id FOR UPDATE
    ), moved AS (
      UPDATE ${table.name} SET ${column} = ${parameters.number(to)} FROM found WHERE id = found_id RETURNING id
    )
    SELECT count(*) FROM moved`;
  return { text, values: parameters.values };
}

/** Events of a row, one in each row of the result. */
export function eventsStatement(
  layout: Layout,
  name: string,
  { id, after, limit, now }: { id: string; after: number; limit: number; now: number },
): Statement {
  const parameters = createParameters();
  const seq = parameters.number(after);
  const most = parameters.number(limit);
  const found = `id = ${parameters.text(encodeText(id))} AND ${liveUntil(parameters, now)}`;
  // Each append has at least one event.
  const text = `SELECT event FROM ${tableOf(layout, name).name} AS r
    CROSS JOIN LATERAL (
      SELECT last_seq, json FROM ${layout.events} AS e
      WHERE e.position = r.position AND last_seq > ${seq} ORDER BY last_seq LIMIT ${most}
    ) AS appended
    CROSS JOIN LATERAL unnest(appended.json) WITH ORDINALITY AS one (event, number)
    WHERE ${found} AND last_seq - cardinality(appended.json) + number > ${seq}
    ORDER BY last_seq, number LIMIT ${most}`;
  return { text, values: parameters.values };
}

/** Removes rows that have expired, and gives how many they are. */
export function removeExpiredStatement(layout: Layout, name: string, limit: number, now: number): Statement {
  const { name: table } = tableOf(layout, name);
  const parameters = createParameters();
  const text = `WITH found AS (
      SELECT id AS found_id FROM ${table} WHERE expires_at <= ${parameters.number(now)}
      ORDER BY expires_at LIMIT ${parameters.number(limit)} FOR UPDATE SKIP LOCKED
    ), removed AS (DELETE FROM ${table} USING found WHERE id = found_id RETURNING id)
    SELECT count(*) FROM removed`;
  return { text, values: parameters.values };
}
