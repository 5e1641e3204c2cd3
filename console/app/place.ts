/** Where the page is: everything that changes what is seen stands in the part of the URL after `#`. */
export interface Place {
  /** The decoded parts of the path: `#/runs/r1` is `['runs', 'r1']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads `#/runs/r1?view=graph`. A part that cannot be decoded is left as it is; an empty value is none. */
export function parsePlace(text: string): Place {
  const [path = '', query = ''] = text.replace(/^#/, '').split(/\?(.*)/s, 2);
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => value !== '')),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A query: null and the empty text leave a name out. */
export type QueryValues = Readonly<Record<string, string | null | undefined>>;

/**
 * The link to a place: `hrefTo(['runs', id], { view: 'graph' })`. Half a surrogate pair, which no URL can have, becomes
 * U+FFFD.
 */
export function hrefTo(path: readonly string[], query: QueryValues = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${path.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** The pages of the records that events are about. */
const pageOf: Readonly<Record<string, string>> = {
  execution: 'runs',
  message: 'messages',
  routing: 'routing',
  inbox: 'inbox',
  workflow: 'workflows',
  schedule: 'automation',
};

/** The link to the record that an event is about; undefined for a kind that has no page. */
export function hrefOfRecord({
  kind,
  id,
}: {
  readonly kind: string;
  readonly id: string;
}): string | undefined {
  const page = pageOf[kind];
  return page && hrefTo([page, id]);
}

/** The properties of a page: the parts of the path after its own, and the query. */
export interface PageProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}
