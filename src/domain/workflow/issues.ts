/** The most notes that are kept of one kind; the rest is counted. */
const MAX_NOTES = 100;

/** Faults or warnings as they are found, no more of them than anybody would read. */
export interface IssueList {
  readonly count: number;
  /** Notes what `make` says; it is not even asked once there are more notes than are kept. */
  add(make: () => string): void;
  /** What was noted, and how much more there was. */
  texts(): string[];
}

/** Makes an empty list of notes; `what` they are is said where some had to be left out. */
export function createIssueList(what: string): IssueList {
  const kept = new Set<string>();
  let more = 0;
  return {
    get count() {
      return kept.size + more;
    },
    add(make) {
      if (kept.size < MAX_NOTES) kept.add(make());
      else more++;
    },
    texts: () => (more === 0 ? [...kept] : [...kept, `and ${more} more ${what}`]),
  };
}
