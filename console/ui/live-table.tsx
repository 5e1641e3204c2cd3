import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { List } from '../api/use-list.ts';
import { announce } from '../app/messages.tsx';
import { Empty, Failed, Loading } from './states.tsx';
import { type Column, Table } from './table.tsx';

interface LiveTableProps<Row> {
  readonly label: string;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly hrefOf?: (row: Row) => string;
  readonly selected?: string | undefined;
  readonly onSelect?: (row: Row) => void;
  /** The content of a list without rows. */
  readonly empty: ComponentChildren;
}

/** A list with all its states: rows, what has changed since, further pages, none, and why it cannot be read. */
export function LiveTable<Row>({ list, empty, ...table }: LiveTableProps<Row>) {
  const { rows, old, showNew, more, isLoading, error, reload, total } = list;
  const news = [list.news, old.size > 0 && `${old.size} changed`].filter(Boolean).join(', ');
  useEffect(() => {
    if (news !== '') announce(`${news} in ${table.label}`);
  }, [news, table.label]);
  return (
    <div class="live-table">
      {error && <Failed error={error} retry={reload} />}
      {news !== '' && (
        <button type="button" class="new-rows" onClick={showNew}>
          {news}
        </button>
      )}
      {isLoading && <Loading rows={6} what={`Reading ${table.label}`} />}
      {!isLoading && error === undefined && rows.length === 0 && <Empty>{empty}</Empty>}
      {rows.length > 0 && <Table {...table} rows={rows} old={old} onEnd={more} total={total} />}
      {rows.length > 0 && (
        <footer class="table-foot">
          <span class="faint">
            {rows.length.toLocaleString('en')}
            {total !== undefined && ` of ${total.toLocaleString('en')}`} shown
          </span>
          {more && (
            <button type="button" onClick={more}>
              More
            </button>
          )}
        </footer>
      )}
    </div>
  );
}
