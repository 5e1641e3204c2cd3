import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { type JsonValue, setOwn } from '../../../lib/json/json.ts';
import { type Issue, MAX_FAULTS, type Path } from '../faults.ts';
import { show } from '../nearest.ts';
import { MAX_DEPTH } from './tokens.ts';

/** The largest value: values in it, and characters, both with those that aliases repeat. */
const MAX_VALUES = 20_000;
const MAX_CHARACTERS = 2_097_152;

/** Where a value and the name of its member begin, as UTF-16 units from the start of the text. */
export interface NodePlace {
  readonly value: number;
  readonly key: number;
}

/** A YAML document as JSON, what is wrong with it, and where each value stands. */
export interface ReadValue {
  readonly value: JsonValue;
  readonly issues: readonly Issue[];
  /** The value is too large or too deep, and was not read to its end. */
  readonly isTooLarge: boolean;
  /** By `JSON.stringify` of the path. */
  readonly places: ReadonlyMap<string, NodePlace>;
}

/** Ends the reading of a value that is too large. */
class TooLarge extends Error {}

/** Converts a document without errors to JSON. Duplicate names, other tags and other keys than texts are issues. */
export function readValue(document: Document.Parsed): ReadValue {
  const places = new Map<string, NodePlace>();
  const issues: Issue[] = [];
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  let values = 0;
  let characters = 0;

  function addIssue(issue: Issue): void {
    // One more than are told, so that the count shows that there are more.
    if (issues.length <= MAX_FAULTS) issues.push(issue);
  }

  function spend(path: Path, length: number): void {
    values++;
    characters += length;
    if (values <= MAX_VALUES && characters <= MAX_CHARACTERS && path.length <= MAX_DEPTH) return;
    const message =
      path.length > MAX_DEPTH
        ? `is nested deeper than ${MAX_DEPTH} levels; expected a flat file`
        : `is too large with what its aliases repeat: more than ${MAX_VALUES} values or ${MAX_CHARACTERS} characters`;
    addIssue({ path: path.slice(0, MAX_DEPTH), message });
    throw new TooLarge();
  }

  function read(node: Node | null, path: Path, key: number): JsonValue {
    places.set(JSON.stringify(path), { value: node?.range?.[0] ?? key, key });
    spend(path, isScalar(node) && typeof node.value === 'string' ? node.value.length : 1);
    if (node === null) return null;
    if (isAlias(node)) return readAlias(node.source, path, key);
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    open.add(node);
    const value = readContent(node, path);
    open.delete(node);
    return value;
  }

  function readAlias(name: string, path: Path, key: number): JsonValue {
    const target = anchors.get(name);
    if (target !== undefined && !open.has(target)) {
      const place = places.get(JSON.stringify(path));
      const value = read(target, path, key);
      // What an alias repeats is wrong where the alias stands.
      if (place !== undefined) places.set(JSON.stringify(path), place);
      return value;
    }
    addIssue({
      path,
      hides: path,
      message:
        target === undefined ? `there is no anchor ${show(name)}` : `the alias ${show(name)} contains itself`,
    });
    return null;
  }

  function readContent(node: Node, path: Path): JsonValue {
    if (isSeq<Node | null>(node)) {
      return node.items.map((item, index) =>
        read(item, [...path, index], places.get(JSON.stringify(path))?.key ?? 0),
      );
    }
    if (isMap<Node, Node | null>(node)) return readMap(node.items, path);
    if (isScalar(node)) {
      const { value } = node;
      if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
      if (typeof value === 'number' && Number.isFinite(value)) return value;
    }
    addIssue({
      path,
      hides: path,
      message: 'is not a value of JSON; expected a text, a number, true, false, a list or an object',
    });
    return null;
  }

  function readMap(pairs: readonly Pair<Node, Node | null>[], path: Path): JsonValue {
    const members: Record<string, JsonValue> = {};
    const seen = new Set<string>();
    for (const { key, value } of pairs) {
      const at = key?.range?.[0] ?? 0;
      if (!isScalar(key) || typeof key.value === 'object') {
        const inside = [...path, '?'];
        places.set(JSON.stringify(inside), { value: at, key: at });
        addIssue({ path: inside, message: 'has a name that is no text; expected `name: value`' });
        continue;
      }
      const name = String(key.value);
      const inside = [...path, name];
      if (seen.has(name)) {
        // The place of the second one: the first is kept.
        const again = [...inside, '(again)'];
        places.set(JSON.stringify(again), { value: at, key: at });
        addIssue({ path: again, message: `the name ${show(name)} is there twice` });
      } else if (name === '__proto__') {
        places.set(JSON.stringify(inside), { value: at, key: at });
        addIssue({ path: inside, message: 'is a reserved name', atKey: true });
      } else {
        seen.add(name);
        setOwn(members, name, read(value, inside, at));
      }
    }
    return members;
  }

  try {
    const value = read(document.contents, [], 0);
    return { value, issues, isTooLarge: false, places };
  } catch (error) {
    if (error instanceof TooLarge) return { value: null, issues, isTooLarge: true, places };
    throw error;
  }
}
