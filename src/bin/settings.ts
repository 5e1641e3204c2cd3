import { existsSync } from 'node:fs';
import { parseSettings, type SettingsOutcome } from '../adapters/settings/settings.ts';

/** Adds the variables of a `.env` file in the working directory to the environment, which has precedence. */
export function loadEnvironment(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * Parses the settings from the environment and a `.env` file in the working directory. The environment has precedence.
 */
export function loadSettings(): SettingsOutcome {
  loadEnvironment();
  return parseSettings(process.env);
}
