import type { Playbook, TimeLimit, WorkingHours } from '../../../domain/playbook/playbook.ts';
import {
  type HoursDefinition,
  type PlaybookDefinition,
  type SlaDefinition,
  weekdays,
} from '../definition.ts';

/** Milliseconds of the units of a time span. */
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Makes working hours, from Sunday on. */
export function compileHours(hours: HoursDefinition): WorkingHours {
  const days = weekdays.map((day) => {
    const isWeekend = day === 'saturday' || day === 'sunday';
    const stated = hours[day] ?? (isWeekend ? undefined : hours.weekdays);
    return stated === undefined || stated === 'closed' ? null : parseHours(stated);
  });
  return { timezone: hours.timezone, days };
}

function parseHours(text: string): { readonly from: number; readonly to: number } {
  const [from = '', to = ''] = text.split('-');
  return { from: toMinutes(from), to: toMinutes(to) };
}

function toMinutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Makes the time limits of each priority. */
export function compileSla(stated: NonNullable<PlaybookDefinition['sla']>): Playbook['sla'] {
  return {
    1: toLimit(stated[1] ?? '30m'),
    2: toLimit(stated[2] ?? '2h'),
    3: toLimit(stated[3] ?? '4h'),
    4: toLimit(stated[4] ?? '1d'),
    5: toLimit(stated[5] ?? '2d'),
  };
}

function toLimit(stated: SlaDefinition): TimeLimit {
  const { within, hours = 'opening' } = typeof stated === 'string' ? { within: stated } : stated;
  return { within: toMilliseconds(within), hours };
}

function toMilliseconds(text: string): number {
  const unit = units[text.slice(-1)];
  if (unit === undefined) throw new Error(`${text} is not a time span`);
  return Number(text.slice(0, -1)) * unit;
}
