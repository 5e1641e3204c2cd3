import { OrchestrationError } from './errors.ts';

const namePattern = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Checks the name of a tool or an agent before its registration: 1 to 64 letters, digits, `_`, `-` or `.`, and not
 * registered yet (decisions, section 5). Throws `registration`.
 */
export function checkRegistration(
  kind: 'tool' | 'agent',
  name: unknown,
  isRegistered: (name: string) => boolean,
): void {
  if (typeof name !== 'string' || !namePattern.test(name)) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : `of type ${typeof name}`;
    throw new OrchestrationError(
      'registration',
      `the name of the ${kind} must be 1 to 64 letters, digits, "_", "-" or ".", but it is ${shown}`,
    );
  }
  if (isRegistered(name)) throw registrationError(kind, name, 'is already registered');
}

/** The error for a tool or an agent that cannot be registered; `problem` continues `the tool "name" …`. */
export function registrationError(kind: 'tool' | 'agent', name: string, problem: string): OrchestrationError {
  return new OrchestrationError('registration', `the ${kind} "${name}" ${problem}`);
}
