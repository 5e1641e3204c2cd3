import type { RunEvent } from '../../../domain/run/events.ts';
import { type StepKind, stepKinds } from '../../../domain/workflow/definition.ts';
import { itemAt } from '../../../lib/array.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { textBytes } from './text-bytes.ts';

/** An event whose JSON is kept as text. */
type KeptCreated = Omit<RunEvent<'execution.created'>, 'input'> & { readonly inputJson: string };
type KeptCompleted = Omit<RunEvent<'execution.completed'>, 'output'> & { readonly outputJson?: string };

/** An event of a type that comes once or a few times in a run: a copy of it. */
type KeptEvent =
  | KeptCreated
  | KeptCompleted
  | Exclude<RunEvent, { type: 'execution.created' | 'execution.completed' | HotType | ListType }>;

/** The types that come with every layer or step. Their members stand in cells. */
type HotType = 'layer.started' | 'step.started' | 'step.completed';

/** The types with lists and JSON of any size. The only cell of such an event is its JSON text. */
type ListType =
  | 'step.progress'
  | 'execution.waiting'
  | 'execution.resumed'
  | 'execution.retried'
  | 'execution.recovered';

/** A part of an event. The first cell of an event is the event itself, its JSON text, or its type. */
type Cell = string | number | null | KeptEvent;

/** The events of a run in one list of cells, which takes less memory than objects. They share no object with what was added. */
export interface PackedEvents {
  cells: Cell[];
  /** How many events there are, which is the number of the last one. */
  count: number;
  /** The cells at which the events after {@link MARKED_EVENTS}, after twice as many, and so on begin. */
  marks: number[];
  /** Times are stored as differences to this one, which are small integers. */
  readonly startedAt: number;
}

/** A JSON object, and its text. */
export interface KnownJson {
  readonly value: JsonObject;
  readonly json: string;
}

/** Approximate size of an object, and of a cell, in bytes. */
const OBJECT_BYTES = 160;
const CELL_BYTES = 8;

/** A reader walks over at most so many events before the first that it wants. */
const MARKED_EVENTS = 64;

const none: readonly KnownJson[] = [];

/**
 * Adds events, all or none: it throws for an output that JSON cannot express. Returns their approximate size in bytes.
 * The text of a `known` object is kept once, and is not part of that size.
 */
export function packEvents(
  packed: PackedEvents,
  events: readonly RunEvent[],
  known: readonly KnownJson[] = none,
): number {
  const { cells, marks, count } = packed;
  const before = { cells: cells.length, marks: marks.length };
  let bytes = 0;
  try {
    for (const event of events) {
      bytes += packEvent(packed, event, known);
      packed.count++;
      if (packed.count % MARKED_EVENTS === 0) marks.push(cells.length);
    }
  } catch (error) {
    packed.count = count;
    cells.length = before.cells;
    marks.length = before.marks;
    throw error;
  }
  return bytes + (cells.length - before.cells) * CELL_BYTES;
}

function packEvent({ cells, startedAt }: PackedEvents, event: RunEvent, known: readonly KnownJson[]): number {
  const time = event.at - startedAt;
  switch (event.type) {
    case 'layer.started':
      cells.push(event.type, time, event.layer, event.steps.length);
      for (const stepId of event.steps) cells.push(stepId);
      return 0;
    case 'step.started':
      cells.push(event.type, time, event.stepId, event.kind, event.layer, event.attempt);
      return 0;
    case 'step.completed': {
      if (event.error !== undefined) return packText(cells, event);
      const { type, stepId, attempts, durationMs, copied } = event;
      const json = JSON.stringify(event.output);
      const typeCell = copied === true ? COPIED : type;
      cells.push(typeCell, time, stepId, attempts, durationMs, json, event.startedAt - startedAt);
      return textBytes(json);
    }
    case 'execution.created': {
      const { input, ...kept } = event;
      const { json: inputJson, bytes } = textOf(input, known);
      cells.push({ ...kept, inputJson });
      return OBJECT_BYTES + bytes;
    }
    case 'execution.completed': {
      const { output, ...kept } = event;
      if (output === undefined) {
        cells.push(kept);
        return OBJECT_BYTES;
      }
      const { json: outputJson, bytes } = textOf(output, known);
      cells.push({ ...kept, outputJson });
      return OBJECT_BYTES + bytes;
    }
    case 'step.progress':
    case 'execution.waiting':
    case 'execution.resumed':
    case 'execution.retried':
    case 'execution.recovered':
      return packText(cells, event);
    default:
      cells.push({ ...event });
      return OBJECT_BYTES + ('error' in event && event.error !== null ? textBytes(event.error) : 0);
  }
}

function packText(cells: Cell[], event: RunEvent): number {
  const json = JSON.stringify(event);
  cells.push(json);
  return textBytes(json);
}

/** The JSON text of an object, and its size in bytes; 0 for one that is known. */
function textOf(value: JsonObject, known: readonly KnownJson[]): { json: string; bytes: number } {
  const json = known.find((other) => other.value === value)?.json;
  if (json !== undefined) return { json, bytes: 0 };
  const text = JSON.stringify(value);
  return { json: text, bytes: textBytes(text) };
}

/** Stands for the type `step.completed` where the output is a copy. */
const COPIED = 'step.copied';

/** Gives back the memory that the list keeps for further events. */
export function trimEvents(packed: PackedEvents): void {
  packed.cells = packed.cells.slice();
  packed.marks = packed.marks.slice();
}

/** The events after the event `after` up to the event `last`, as new objects, in order. */
export function* unpackEvents(packed: PackedEvents, after: number, last: number): Generator<RunEvent> {
  const { cells, marks, startedAt } = packed;
  if (after >= last) return;
  const marked = Math.floor(after / MARKED_EVENTS);
  let position = marked === 0 ? 0 : itemAt(marks, marked - 1);
  for (let seq = marked * MARKED_EVENTS + 1; seq <= last; seq++) {
    if (seq > after) yield unpackEvent(cells, position, seq, startedAt);
    position += lengthAt(cells, position);
  }
}

/** The number of cells of the event at a position. */
function lengthAt(cells: readonly Cell[], position: number): number {
  switch (cells[position]) {
    case 'layer.started':
      return 4 + numberAt(cells, position + 3);
    case 'step.started':
      return 6;
    case 'step.completed':
    case COPIED:
      return 7;
    default:
      return 1;
  }
}

function unpackEvent(cells: readonly Cell[], position: number, seq: number, startedAt: number): RunEvent {
  const first = cells[position];
  if (typeof first === 'object' && first !== null) return unpackKept(first);
  if (typeof first === 'string' && first.startsWith('{')) return parseEvent(first);
  const at = startedAt + numberAt(cells, position + 1);
  switch (first) {
    case 'layer.started': {
      const [layer, count] = [numberAt(cells, position + 2), numberAt(cells, position + 3)];
      const steps = Array.from({ length: count }, (_, index) => textAt(cells, position + 4 + index));
      return { seq, type: first, at, layer, steps };
    }
    case 'step.started': {
      const stepId = textAt(cells, position + 2);
      const kind = kindAt(cells, position + 3);
      const [layer, attempt] = [numberAt(cells, position + 4), numberAt(cells, position + 5)];
      return { seq, type: first, at, stepId, kind, layer, attempt };
    }
    case 'step.completed':
    case COPIED: {
      const stepId = textAt(cells, position + 2);
      const attempts = numberAt(cells, position + 3);
      const durationMs = cells[position + 4] === null ? null : numberAt(cells, position + 4);
      const output = parseOwn(textAt(cells, position + 5));
      const calledAt = startedAt + numberAt(cells, position + 6);
      const type = 'step.completed';
      const event = { seq, type, at, stepId, attempts, durationMs, output, startedAt: calledAt } as const;
      return first === COPIED ? { ...event, copied: true } : event;
    }
    default:
      throw new Error(`no event begins at cell ${position}`);
  }
}

function unpackKept(kept: KeptEvent): RunEvent {
  if (kept.type === 'execution.created') {
    const { inputJson, ...event } = kept;
    return { ...event, input: parseOwn(inputJson) };
  }
  if (kept.type !== 'execution.completed') return { ...kept };
  const { outputJson, ...event } = kept;
  return outputJson === undefined ? event : { ...event, output: parseOwn(outputJson) };
}

/** Parses an event that this folder has written. */
function parseEvent(json: string): RunEvent {
  return JSON.parse(json);
}

function numberAt(cells: readonly Cell[], position: number): number {
  const cell = cells[position];
  if (typeof cell !== 'number') throw new Error(`cell ${position} is not a number`);
  return cell;
}

function kindAt(cells: readonly Cell[], position: number): StepKind {
  const kind = stepKinds.find((known) => known === cells[position]);
  if (kind === undefined) throw new Error(`cell ${position} is not the kind of a step`);
  return kind;
}

function textAt(cells: readonly Cell[], position: number): string {
  const cell = cells[position];
  if (typeof cell !== 'string') throw new Error(`cell ${position} is not a text`);
  return cell;
}

/** Parses a JSON object that this folder has written. */
export function parseOwn(json: string): JsonObject {
  return JSON.parse(json);
}
