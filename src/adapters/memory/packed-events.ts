import type { RunEvent } from '../../domain/run/events.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** An event whose JSON is kept as text. */
type KeptCreated = Omit<RunEvent<'execution.created'>, 'input'> & { readonly inputJson: string };

/** An event of a type that comes once or a few times in a run: a copy of it. */
type KeptEvent = KeptCreated | Exclude<RunEvent, { type: 'execution.created' | HotType }>;

/** The types that come with every layer or step. Their members stand in cells. */
type HotType = 'layer.started' | 'step.started' | 'step.completed';

/** A part of an event. The first cell of an event is the event itself, or its type. */
type Cell = string | number | null | KeptEvent;

/** The events of a run in one list of cells, which takes less memory than objects. They share no object with what was added. */
export interface PackedEvents {
  cells: Cell[];
  /** How many events there are, which is the number of the last one. */
  count: number;
  /** Times are stored as differences to this one, which are small integers. */
  readonly startedAt: number;
}

/** Approximate size of an object, and of a cell or a text without its characters, in bytes. */
const OBJECT_BYTES = 160;
const CELL_BYTES = 8;
const TEXT_BYTES = 24;

/**
 * Adds events, all or none: it throws for an output that JSON cannot express. Returns their approximate size in bytes.
 * `input` is one whose JSON text is known.
 */
export function packEvents(
  packed: PackedEvents,
  events: readonly RunEvent[],
  input?: { readonly value: JsonObject; readonly json: string },
): number {
  const { cells } = packed;
  const cellsBefore = cells.length;
  let bytes = 0;
  try {
    for (const event of events) bytes += packEvent(packed, event, input);
  } catch (error) {
    cells.length = cellsBefore;
    throw error;
  }
  packed.count += events.length;
  return bytes + (cells.length - cellsBefore) * CELL_BYTES;
}

function packEvent(
  { cells, startedAt }: PackedEvents,
  event: RunEvent,
  input: { readonly value: JsonObject; readonly json: string } | undefined,
): number {
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
      const { type, stepId, attempts, durationMs, copied } = event;
      const json = JSON.stringify(event.output);
      const typeCell = copied === true ? COPIED : type;
      cells.push(typeCell, time, stepId, attempts, durationMs, json, event.startedAt - startedAt);
      return textBytes(json);
    }
    case 'execution.created': {
      const { seq, type, at, workflowName, version, background, origin, rerunOf } = event;
      const inputJson = event.input === input?.value ? input.json : JSON.stringify(event.input);
      cells.push({ seq, type, at, workflowName, version, background, origin, inputJson, rerunOf });
      return OBJECT_BYTES + (inputJson === input?.json ? 0 : textBytes(inputJson));
    }
    case 'execution.retried':
      cells.push({ ...event, steps: [...event.steps] });
      return OBJECT_BYTES + event.steps.length * CELL_BYTES;
    case 'execution.recovered': {
      const [unknownSteps, steps] = [[...event.unknownSteps], [...event.steps]];
      cells.push({ ...event, unknownSteps, steps });
      return OBJECT_BYTES + (unknownSteps.length + steps.length) * CELL_BYTES;
    }
    case 'execution.waiting':
      cells.push({ ...event, for: [...event.for] });
      return OBJECT_BYTES + event.for.length * CELL_BYTES;
    default:
      cells.push({ ...event });
      return OBJECT_BYTES + ('error' in event && event.error !== null ? textBytes(event.error) : 0);
  }
}

/** Stands for the type `step.completed` where the output is a copy. */
const COPIED = 'step.copied';

/** The approximate size of a text in bytes. */
export function textBytes(text: string): number {
  return TEXT_BYTES + Buffer.byteLength(text);
}

/** Gives back the memory that the list keeps for further events. */
export function trimEvents(packed: PackedEvents): void {
  packed.cells = packed.cells.slice();
}

/** The events after the event `after` up to the event `last`, as new objects, in order. */
export function* unpackEvents(packed: PackedEvents, after: number, last: number): Generator<RunEvent> {
  const { cells, startedAt } = packed;
  let position = 0;
  for (let seq = 1; seq <= last; seq++) {
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
  const at = startedAt + numberAt(cells, position + 1);
  switch (first) {
    case 'layer.started': {
      const [layer, count] = [numberAt(cells, position + 2), numberAt(cells, position + 3)];
      const steps = Array.from({ length: count }, (_, index) => textAt(cells, position + 4 + index));
      return { seq, type: first, at, layer, steps };
    }
    case 'step.started': {
      const stepId = textAt(cells, position + 2);
      const kind = cells[position + 3] === 'tool' ? 'tool' : 'agent';
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
  if (kept.type === 'execution.waiting') return { ...kept, for: [...kept.for] };
  if (kept.type === 'execution.retried') return { ...kept, steps: [...kept.steps] };
  if (kept.type !== 'execution.recovered') return { ...kept };
  return { ...kept, unknownSteps: [...kept.unknownSteps], steps: [...kept.steps] };
}

function numberAt(cells: readonly Cell[], position: number): number {
  const cell = cells[position];
  if (typeof cell !== 'number') throw new Error(`cell ${position} is not a number`);
  return cell;
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
