/** The form in which a member of an event is kept. */
type Kind = typeof PLAIN | typeof JSON_TEXT | typeof TIME;

/** As it is. */
const PLAIN = 0;
/** As its JSON text. */
const JSON_TEXT = 1;
/** As the difference to another time, which is a small integer more often. */
const TIME = 2;

/** The members of an event in their order, and how each is kept. */
interface Shape {
  readonly names: readonly string[];
  readonly kinds: readonly Kind[];
  /** The text before the value of each in JSON. */
  readonly prefixes: readonly string[];
}

/**
 * The events of a row in one list of cells, which takes less memory than objects. They share no object with what was
 * added.
 */
export interface PackedEvents {
  /** The parts of all events. The first one of an event is its shape, or its JSON text, which is the only one then. */
  readonly cells: unknown[];
  /** The cells at which the events after {@link MARKED_EVENTS}, after twice as many, and so on begin. */
  readonly marks: number[];
  readonly count: number;
  /** Times are kept as differences to this one. */
  readonly since: number;
  /** About how many bytes they take. */
  readonly bytes: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Packs events. */
export interface EventPacker {
  /**
   * Adds JSON texts, and events as objects, all or none: throws for an event that JSON cannot express. A text that is
   * equal to `body` is kept once with it. Returns the list that they were added to, a new one where there was none.
   */
  add(
    packed: PackedEvents | undefined,
    events: readonly (string | object)[],
    body: string | undefined,
  ): PackedEvents;
}

/** Integers from this one on are times. */
const FIRST_TIME = 2 ** 31;

/** The approximate sizes of a cell, and of a text without its characters, in bytes. */
const CELL_BYTES = 8;
const TEXT_BYTES = 24;

/** A reader walks over at most so many events before the first that it wants. */
const MARKED_EVENTS = 64;

/** The most shapes that are known: events of others are kept as JSON. */
const MAX_SHAPES = 1_000;

/** Creates an {@link EventPacker}, which knows the shapes of the events that it has packed. */
export function createEventPacker(): EventPacker {
  const shapes = new Map<string, Shape>();
  /** The last shapes of events with a `type`. */
  const lastOf = new Map<unknown, Shape>();

  /** The shape of an event; undefined where there are too many. */
  function findShape(event: object): Shape | undefined {
    const members = Object.entries(event);
    const names = members.map(([name]) => name);
    const kinds = members.map(([, value]) => kindOf(value));
    const key = JSON.stringify([names, kinds]);
    const shape = shapes.get(key) ?? {
      names,
      kinds,
      prefixes: names.map((name) => `${JSON.stringify(name)}:`),
    };
    if (!shapes.has(key) && shapes.size >= MAX_SHAPES) return undefined;
    shapes.set(key, shape);
    lastOf.set(typeOf(event), shape);
    return shape;
  }

  /** Adds an event, and returns about how many bytes its texts take. */
  function addEvent({ cells, since }: PackedEvents, event: object, body: string | undefined): number {
    const start = cells.length;
    const guess = lastOf.get(typeOf(event));
    cells.push(guess);
    let isGuess = guess !== undefined;
    let bytes = 0;
    let index = 0;
    for (const name in event) {
      const value: unknown = event[name as keyof typeof event];
      const kind = kindOf(value);
      if (kind === JSON_TEXT) {
        const json = JSON.stringify(value);
        cells.push(json === body ? body : json);
        if (json !== body) bytes += TEXT_BYTES + json.length;
      } else cells.push(kind === TIME ? Number(value) - since : value);
      isGuess = isGuess && guess?.names[index] === name && guess.kinds[index] === kind;
      index += 1;
    }
    if (isGuess && guess?.names.length === index) return bytes;
    const shape = findShape(event);
    cells[start] = shape;
    if (shape !== undefined) return bytes;
    cells.length = start;
    return addText(cells, JSON.stringify(event));
  }

  return {
    add(known, events, body) {
      const packed: Writable<PackedEvents> = known ?? {
        cells: [],
        marks: [],
        count: 0,
        since: timeOf(events[0]),
        bytes: 0,
      };
      const { cells, marks, count } = packed;
      const before = { cells: cells.length, marks: marks.length };
      let bytes = 0;
      try {
        for (const event of events) {
          bytes += typeof event === 'string' ? addText(cells, event) : addEvent(packed, event, body);
          packed.count += 1;
          if (packed.count % MARKED_EVENTS === 0) marks.push(cells.length);
        }
      } catch (error) {
        cells.length = before.cells;
        marks.length = before.marks;
        packed.count = count;
        throw error;
      }
      packed.bytes += bytes + (cells.length - before.cells) * CELL_BYTES;
      return packed;
    },
  };
}

function addText(cells: unknown[], json: string): number {
  cells.push(json);
  return TEXT_BYTES + json.length;
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'number') return value >= FIRST_TIME && Number.isSafeInteger(value) ? TIME : PLAIN;
  return (typeof value === 'object' && value !== null) || typeof value === 'bigint' ? JSON_TEXT : PLAIN;
}

function typeOf(event: object): unknown {
  return 'type' in event ? event.type : undefined;
}

function timeOf(event: string | object | undefined): number {
  return typeof event === 'object' && 'at' in event ? Number(event.at) || 0 : 0;
}

/** The JSON texts of the events after a number, up to another one. What is added meanwhile changes nothing of them. */
export function* textsOfEvents(packed: PackedEvents, after: number, last: number): Generator<string> {
  const { cells, marks, since } = packed;
  if (after >= last) return;
  const marked = Math.floor(after / MARKED_EVENTS);
  let position = marked === 0 ? 0 : (marks[marked - 1] ?? 0);
  for (let number = marked * MARKED_EVENTS + 1; number <= last; number++) {
    const first = cells[position];
    if (number > after) yield isShape(first) ? textOf(first, cells, position + 1, since) : String(first);
    position += 1 + (isShape(first) ? first.names.length : 0);
  }
}

/** No other cell is an object. */
function isShape(cell: unknown): cell is Shape {
  return typeof cell === 'object' && cell !== null;
}

function textOf(
  { kinds, prefixes }: Shape,
  cells: readonly unknown[],
  position: number,
  since: number,
): string {
  let text = '';
  for (const [index, prefix] of prefixes.entries()) {
    const value = cells[position + index];
    const kind = kinds[index];
    const json =
      kind === JSON_TEXT ? String(value) : kind === TIME ? `${Number(value) + since}` : JSON.stringify(value);
    // JSON leaves out what is undefined.
    if (json !== undefined) text += (text === '' ? '' : ',') + prefix + json;
  }
  return `{${text}}`;
}
