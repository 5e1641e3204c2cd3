/** The times of a zone by the minute, from the zone's own data, in milliseconds as if the zone were UTC. */
export interface Minute {
  readonly instant: number;
  readonly shown: number;
}

/** Every minute between two instants with what the clock on the wall shows. */
export function minutesOf(timeZone: string, from: number, until: number): readonly Minute[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const minutes: Minute[] = [];
  for (let instant = from; instant < until; instant += 60_000) {
    minutes.push({ instant, shown: Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) });
  }
  return minutes;
}

type Matches = (shown: Date) => boolean;

/** Wildcard hours: each minute whose time on the wall fits. */
export function wildcardFires(minutes: readonly Minute[], matches: Matches): readonly number[] {
  return minutes.filter(({ shown }) => matches(new Date(shown))).map(({ instant }) => instant);
}

/**
 * Fixed hours: walks the minutes and notes, for each time on the wall that has not been passed yet, whether it fits.
 * Those that a gap leaves out count for the minute after the gap; those that come again were passed.
 */
export function fixedFires(minutes: readonly Minute[], matches: Matches): readonly number[] {
  const fires: number[] = [];
  let passed = (minutes[0]?.shown ?? 0) - 60_000;
  for (const { instant, shown } of minutes) {
    let fits = false;
    for (; passed < shown; passed += 60_000) if (matches(new Date(passed + 60_000))) fits = true;
    if (fits) fires.push(instant);
  }
  return fires;
}
