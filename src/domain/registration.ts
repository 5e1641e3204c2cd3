import { OrchestrationError } from './errors.ts';

const namePattern = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Checks the name under which a tool or an agent is to be registered: 1 to 64 letters, digits, `_`, `-` or `.`, and
 * not taken (decisions, section 5). Throws `registration`.
 */
export function checkRegistration(
  kind: 'tool' | 'agent',
  name: unknown,
  isTaken: (name: string) => boolean,
): void {
  if (typeof name !== 'string' || !namePattern.test(name)) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : `of type ${typeof name}`;
    throw new OrchestrationError(
      'registration',
      `a name of the ${kind} registry must be 1 to 64 letters, digits, "_", "-" or ".", but one is ${shown}`,
    );
  }
  if (isTaken(name))
    throw new OrchestrationError('registration', `the ${kind} "${name}" is registered already`);
}

/** The error for a tool or an agent that cannot be registered; `problem` continues `the tool "name" …`. */
export function registrationError(kind: 'tool' | 'agent', name: string, problem: string): OrchestrationError {
  return new OrchestrationError('registration', `the ${kind} "${name}" ${problem}`);
}
