/** Maximum number of issues whose text is stored; further ones are only counted. */
const MAX_ISSUES = 100;

/** A list of issues or warnings, limited to a number that a person can read. */
export interface IssueList {
  /** The number of those that were added, including those that are only counted. */
  readonly count: number;
  /** Adds an issue. `makeText` is not called once the list is full. */
  add(makeText: () => string): void;
  /** The texts in the order in which they were added, each once, and how many more there were. */
  texts(): string[];
}

/** Creates an empty list. `noun` names the issues that are counted only: `and 3 more warnings`. */
export function createIssueList(noun: string): IssueList {
  const texts = new Set<string>();
  let more = 0;
  return {
    get count() {
      return texts.size + more;
    },
    add(makeText) {
      if (texts.size < MAX_ISSUES) texts.add(makeText());
      else more++;
    },
    texts: () => (more === 0 ? [...texts] : [...texts, `and ${more} more ${noun}`]),
  };
}

/** A list whose texts are added to another one, with a prefix. */
export function warningsWithin(warnings: IssueList, prefix: string): IssueList {
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(makeText) {
      count++;
      warnings.add(() => `${prefix}${makeText()}`);
    },
    texts: warnings.texts,
  };
}

/** The longest key of a place, and the most keys. */
const MAX_KEY = 64;
const MAX_KEYS = 32;

/** The place of a value as text: its keys with dots between them. Long keys, and what lies very deep, are cut. */
export function placeText(path: readonly (string | number)[]): string {
  const keys = path.slice(0, MAX_KEYS).map((key) => {
    const text = String(key);
    return text.length <= MAX_KEY ? text : `${text.slice(0, MAX_KEY - 1)}…`;
  });
  return [...keys, ...(path.length > MAX_KEYS ? ['…'] : [])].join('.');
}

/** An issue of a definition. */
export interface DefinitionIssue {
  /** The keys in the body of a request that lead to it; empty for the definition as a whole. */
  readonly path: readonly (string | number)[];
  /** The problem there. */
  readonly detail: string;
}

/** An issue as one line: `steps.2.when: must be …`. */
export function issueText({ path, detail }: DefinitionIssue): string {
  return path.length === 0 ? detail : `${placeText(path)}: ${detail}`;
}

/** The issues of a definition, limited in their number as an {@link IssueList}. */
export interface DefinitionIssues {
  /** The keys that lead from the whole definition to the part that they are of. */
  readonly within: DefinitionIssue['path'];
  /** The number of those that were added, including those that are only counted. */
  readonly count: number;
  /** True where further issues are only counted. */
  readonly isFull: boolean;
  /** Adds an issue. `makeDetail` is not called once the list is full. */
  add(path: DefinitionIssue['path'], makeDetail: () => string): void;
  /** The issues in the order in which they were added, each once, and how many more there were. */
  list(): readonly DefinitionIssue[];
}

/** Creates an empty list of issues. */
export function createDefinitionIssues(): DefinitionIssues {
  const issues = new Map<string, DefinitionIssue>();
  let more = 0;
  return {
    within: [],
    get count() {
      return issues.size + more;
    },
    get isFull() {
      return issues.size >= MAX_ISSUES;
    },
    add(path, makeDetail) {
      if (issues.size >= MAX_ISSUES) {
        more++;
        return;
      }
      const issue = { path, detail: makeDetail() };
      issues.set(issueText(issue), issue);
    },
    list() {
      const detail = `and ${more} more issues`;
      return more === 0 ? [...issues.values()] : [...issues.values(), { path: [], detail }];
    },
  };
}

/**
 * Issues of a part of a definition, which are added to those of the whole. Only its own ones count and are listed, with
 * paths within it.
 */
export function issuesWithin(issues: DefinitionIssues, prefix: DefinitionIssue['path']): DefinitionIssues {
  let count = 0;
  return {
    within: [...issues.within, ...prefix],
    get count() {
      return count;
    },
    get isFull() {
      return issues.isFull;
    },
    add(path, makeDetail) {
      count++;
      issues.add([...prefix, ...path], makeDetail);
    },
    list: () =>
      issues
        .list()
        .filter(({ path }) => prefix.every((key, index) => path[index] === key))
        .map(({ path, detail }) => ({ path: path.slice(prefix.length), detail })),
  };
}
