import type { ZoneClock } from '../../time-zone.ts';
import { ExpressionError, type Place } from '../error.ts';
import {
  type Code,
  type Context,
  compile,
  type Evaluation,
  foundKind,
  requireKind,
  wrongKind,
} from './code.ts';
import type { Node } from './syntax.ts';
import {
  addDays,
  clockOf,
  dateText,
  MAX_DAYS,
  parseTimeFormat,
  shownAt,
  startOfDay,
  weekdayOf,
} from './time.ts';
import { type Kind, kindOf, toIndex, type Value } from './value.ts';
import type { Work } from './work.ts';

/** The path to the time zone that counts where an expression names none. */
const ZONE_PATH = ['schedule', 'timezone'] as const;

interface ZoneFunction {
  readonly result: Kind;
  /** The kind of its argument between the timestamp and the zone, if it has one. */
  readonly takes?: 'number' | 'text';
  /** Checks that argument where the expression states it. */
  readonly check?: (argument: Value, work: Work, place: Place) => void;
  readonly apply: (time: Date, clock: ZoneClock, argument: Value, work: Work, place: Place) => Value;
}

const functions: Readonly<Record<string, ZoneFunction>> = {
  date: {
    result: 'text',
    apply: (time, clock, _argument, work, place) => dateText(shownAt(clock, time, work, place)),
  },
  start_of_day: {
    result: 'timestamp',
    apply: (time, clock, _argument, work, place) => startOfDay(clock, time, work, place),
  },
  weekday: {
    result: 'number',
    apply: (time, clock, _argument, work, place) => BigInt(weekdayOf(shownAt(clock, time, work, place))),
  },
  add_days: {
    result: 'timestamp',
    takes: 'number',
    check: (days, _work, place) => void daysOf(days, place),
    apply: (time, clock, days, work, place) => addDays(clock, time, daysOf(days, place), work, place),
  },
  format: {
    result: 'text',
    takes: 'text',
    check: (pattern, work, place) => void parseTimeFormat(String(pattern), work, place, true),
    apply: (time, clock, pattern, work, place) =>
      parseTimeFormat(String(pattern), work, place)(shownAt(clock, time, work, place)),
  },
};

function daysOf(value: Value, place: Place): number {
  const days = toIndex(value);
  if (days !== undefined && Math.abs(days) <= MAX_DAYS) return days;
  throw new ExpressionError(`add_days() takes an integer from -${MAX_DAYS} to ${MAX_DAYS}`, place);
}

/**
 * Compiles `date(t, zone)` and the other functions of a timestamp in a time zone; undefined for another name. Without a
 * zone it is that of the schedule, or UTC. What the expression states is checked with it.
 */
export function compileZoned(
  name: string,
  nodes: readonly Node[],
  context: Context,
  place: Place,
): Code | undefined {
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) return undefined;
  const { takes, check, apply, result } = called;
  const count = takes === undefined ? 1 : 2;
  if (nodes.length !== count && nodes.length !== count + 1) {
    throw new ExpressionError(
      `${name}() takes ${count} to ${count + 1} arguments, not ${nodes.length}`,
      place,
    );
  }
  const [time, ...rest] = nodes.map((node) => compile(node, context));
  const [argument, zone] = takes === undefined ? [undefined, rest[0]] : rest;
  if (time === undefined) throw new RangeError('a compiled argument is missing');
  requireKind(time, ['timestamp'], `${name}()`, place);
  if (argument !== undefined && takes !== undefined) requireKind(argument, [takes], `${name}()`, place);
  if (argument?.literal !== undefined) check?.(argument.literal, context.work, place);
  const findClock = compileZone(zone, name, context, place);
  return {
    kind: result,
    evaluate: (evaluation) => {
      const at = time.evaluate(evaluation);
      if (!(at instanceof Date)) {
        const hint = typeof at === 'string' ? '; timestamp() makes one of a text' : '';
        throw wrongKind(kindOf(at), ['timestamp'], `${name}()`, place, foundKind(time, at) + hint);
      }
      const value = argument?.evaluate(evaluation) ?? null;
      if (argument !== undefined && takes !== undefined && kindOf(value) !== takes) {
        throw wrongKind(kindOf(value), [takes], `${name}()`, place, foundKind(argument, value));
      }
      return apply(at, findClock(evaluation), value, evaluation.work, place);
    },
  };
}

/** Compiles the zone of a function. One that the expression states is checked with it. */
function compileZone(
  zone: Code | undefined,
  name: string,
  context: Context,
  place: Place,
): (evaluation: Evaluation) => ZoneClock {
  if (zone === undefined) {
    if (!context.roots.includes(ZONE_PATH[0])) return ({ work }) => clockOf('UTC', work, place);
    context.references.push(ZONE_PATH);
    return ({ values, work }) => clockOf(scheduleZone(values), work, place);
  }
  requireKind(zone, ['text'], `the zone of ${name}()`, place);
  if (typeof zone.literal === 'string') clockOf(zone.literal, context.work, place, true);
  return (evaluation) => {
    const value = zone.evaluate(evaluation);
    if (typeof value === 'string') return clockOf(value, evaluation.work, place);
    throw wrongKind(kindOf(value), ['text'], `the zone of ${name}()`, place, foundKind(zone, value));
  };
}

function scheduleZone({ schedule }: Evaluation['values']): string {
  const zone =
    typeof schedule === 'object' && schedule !== null && 'timezone' in schedule ? schedule['timezone'] : null;
  return typeof zone === 'string' ? zone : 'UTC';
}
