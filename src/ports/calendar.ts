/** A fault of a member of a schedule. */
export interface CalendarIssue {
  readonly member: 'cron' | 'timezone';
  /** For people, without the name of the member. */
  readonly problem: string;
}

/** Computes the dates of cron expressions. Synchronous and pure: the same arguments have the same result. */
export interface Calendar {
  /**
   * The faults of a cron expression of five fields and an IANA time zone: an unknown zone, a field that cannot be read,
   * dates that never come. Empty where `nextFire` can be called. Any text may be passed; the time is bounded.
   */
  check(cron: string, timezone: string): readonly CalendarIssue[];
  /**
   * The first fire time after `after`, both in milliseconds since the epoch; null where none comes. Where the clocks go
   * forward over a fixed hour, it fires at the first instant after the gap; where they go back, a fixed hour fires at
   * its first time only. Expressions whose hour begins with `*` go by elapsed time: they fire in both hours that come
   * twice, and not for those that do not exist. Throws for what `check` refuses.
   */
  nextFire(cron: string, timezone: string, after: number): number | null;
}
