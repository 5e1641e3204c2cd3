import { existsSync } from 'node:fs';
import { parseSettings, type SettingsOutcome } from '../adapters/settings/settings.ts';

/** Parses the settings from the environment and a `.env` file in the working directory. The environment has precedence. */
export function loadSettings(): SettingsOutcome {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseSettings(process.env);
}
