import { type Environment, isSet, type Settings } from './settings.ts';

/** The names of the settings that the environment sets, sorted. Variables that are no settings are not among them. */
export function getNamesOfSet(settings: Settings, environment: Environment): readonly string[] {
  return Object.keys(settings)
    .filter((name) => isSet(name, environment[name]))
    .sort();
}
