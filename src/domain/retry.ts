/** The number of attempts of a failed call, and the waits between them. */
export interface RetryPolicy {
  /** Attempts in all, the first included: 1 to 20. */
  readonly maxAttempts: number;
  /** Upper bound of the first wait in milliseconds: 0 to 60,000, by default 100. */
  readonly backoffMs?: number | undefined;
  /** By how much the bound grows with each attempt: 1 to 10, by default 2. */
  readonly factor?: number | undefined;
  /** Upper bound of every wait in milliseconds: 0 to 600,000, by default 2,000. */
  readonly maxBackoffMs?: number | undefined;
}

/** The lowest and the highest value of each member of a policy. */
export const retryLimits = {
  maxAttempts: [1, 20],
  backoffMs: [0, 60_000],
  factor: [1, 10],
  maxBackoffMs: [0, 600_000],
} as const satisfies Record<keyof RetryPolicy, readonly [number, number]>;

/** The issues of a policy, each as `member must be …`; empty when it is valid. */
export function retryIssues(policy: RetryPolicy): string[] {
  const issues: string[] = [];
  for (const [name, [min, max]] of Object.entries(retryLimits)) {
    const value: unknown = Reflect.get(policy, name);
    if (value === undefined && name !== 'maxAttempts') continue;
    const isInRange = typeof value === 'number' && value >= min && value <= max;
    if (!isInRange || (name === 'maxAttempts' && !Number.isInteger(value))) {
      issues.push(`${name} must be from ${min} to ${max}`);
    }
  }
  return issues;
}
