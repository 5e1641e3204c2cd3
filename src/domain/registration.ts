import { OrchestrationError } from './errors.ts';

const namePattern = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Refuses to register a tool or an agent under a name that is taken or is not 1 to 64 of letters, digits, `_`,
 * `-`, `.` (decisions, section 5). Throws `registration`.
 */
export function checkRegistration(
  kind: 'tool' | 'agent',
  name: unknown,
  taken: (name: string) => boolean,
): void {
  if (typeof name !== 'string' || !namePattern.test(name)) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : `of type ${typeof name}`;
    throw new OrchestrationError(
      'registration',
      `a name of the ${kind} registry must be 1 to 64 letters, digits, "_", "-" or ".", but one is ${shown}`,
    );
  }
  if (taken(name))
    throw new OrchestrationError('registration', `the ${kind} "${name}" is registered already`);
}

/** A fault of something that is being registered. */
export function registrationError(kind: 'tool' | 'agent', name: string, fault: string): OrchestrationError {
  return new OrchestrationError('registration', `the ${kind} "${name}" ${fault}`);
}
