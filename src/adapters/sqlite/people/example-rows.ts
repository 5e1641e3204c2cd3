import type { DatasetExample } from '../../../domain/inbox/example.ts';
import type { ExampleStore } from '../../../ports/storage/example-store.ts';
import type { Connection } from '../connection.ts';
import { createPadding, digestOf, keyOf } from '../private-values.ts';
import { numberOf, parseOwn, type Row, textOf } from '../rows.ts';

/** An example in its stored form. */
export interface EncodedExample {
  readonly dataset: string;
  readonly id: string;
  readonly status: string;
  /** A digest. */
  readonly customer: string;
  readonly json: string;
  /** About what it takes in the file. */
  readonly bytes: number;
}

/** The rows of examples, and the port that reads and changes them. */
export interface ExampleRows {
  readonly store: ExampleStore;
  /** Stores an example, in place of the one with its id. Called within a write. */
  put(example: EncodedExample): void;
}

/** Size of the rows of an example without its JSON, in bytes. */
const ROW_BYTES = 1_024;

/** Converts an example to its stored form. */
export function encodeExample(example: DatasetExample): EncodedExample {
  const { datasetId, exampleId, status, customerId } = example;
  const json = JSON.stringify(example);
  return {
    dataset: keyOf(datasetId),
    id: keyOf(exampleId),
    status,
    customer: digestOf(customerId),
    json,
    bytes: ROW_BYTES + json.length,
  };
}

/** Creates {@link ExampleRows}. */
export function createExampleRows(connection: Connection): ExampleRows {
  const { prepare, read, write, erase } = connection;
  const paddingFor = createPadding(connection);
  const find = prepare('SELECT position FROM examples WHERE dataset = ? AND id = ?');
  const add = prepare('INSERT INTO examples VALUES (?, ?, ?, ?, ?)');
  const change = prepare('UPDATE examples SET status = ?, customer = ? WHERE position = ?');
  const putJson = prepare('INSERT OR REPLACE INTO examples_json VALUES (?, zeroblob(?), ?)');
  const remove = prepare('DELETE FROM examples WHERE position = ?');
  const removeJson = prepare('DELETE FROM examples_json WHERE position = ?');
  const getJson = prepare('SELECT example FROM examples_json WHERE position = ?');
  const count = prepare('SELECT status, count(*) AS count FROM examples WHERE dataset = ? GROUP BY status');

  function replace(row: Row, { status, customer, json }: EncodedExample): void {
    const position = numberOf(row, 'position');
    change.run(status, customer, position);
    putJson.run(position, paddingFor(json), json);
  }

  function readAt(row: Row): DatasetExample {
    return parseOwn<DatasetExample>(textOf(getJson.get(numberOf(row, 'position')), 'example'));
  }

  return {
    put(example) {
      const { dataset, id, status, customer, json } = example;
      const row = find.get(dataset, id);
      if (row !== undefined) {
        replace(row, example);
        return;
      }
      const position = connection.nextPosition();
      add.run(position, dataset, id, status, customer);
      putJson.run(position, paddingFor(json), json);
    },
    store: {
      async counts(datasetId) {
        const rows = read(() => count.all(keyOf(datasetId)));
        const of = (status: string): number => {
          const row = rows.find((each) => each['status'] === status);
          return row === undefined ? 0 : numberOf(row, 'count');
        };
        return { proposed: of('proposed'), accepted: of('accepted'), rejected: of('rejected') };
      },
      async list(datasetId, { status, customerId }, { limit, cursor = 0 }) {
        // With a plus sign the index by status, whose rows are in another order, is not used for the dataset alone.
        const conditions = [status === undefined ? '+dataset = ?' : 'dataset = ?', 'position > ?'];
        const values: (string | number)[] = [keyOf(datasetId), cursor];
        if (status !== undefined) {
          conditions.push('status = ?');
          values.push(status);
        }
        if (customerId !== undefined) {
          conditions.push('customer = ?');
          values.push(digestOf(customerId));
        }
        const text = `SELECT position FROM examples WHERE ${conditions.join(' AND ')} ORDER BY position LIMIT ?`;
        return read(() => {
          const rows = prepare(text).all(...values, limit + 1);
          const shown = rows.slice(0, limit);
          const nextCursor = rows.length > limit ? numberOf(shown.at(-1), 'position') : null;
          return { examples: shown.map(readAt), nextCursor };
        });
      },
      async get(datasetId, exampleId) {
        return read(() => {
          const row = find.get(keyOf(datasetId), keyOf(exampleId));
          return row === undefined ? undefined : readAt(row);
        });
      },
      async update(example) {
        const encoded = encodeExample(example);
        return write(() => {
          const row = find.get(encoded.dataset, encoded.id);
          if (row !== undefined) replace(row, encoded);
          return row !== undefined;
        }, encoded.bytes);
      },
      delete: (datasetId, exampleId) =>
        erase(() => {
          const row = find.get(keyOf(datasetId), keyOf(exampleId));
          if (row === undefined) return false;
          const position = numberOf(row, 'position');
          remove.run(position);
          removeJson.run(position);
          return true;
        }, ROW_BYTES),
    },
  };
}
