import { registerHooks } from 'node:module';

// For `node --import`: modules of the service are replaced by those of this folder, which shorten their times.

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\/application\/storage\/run-owners\.ts$/, new URL('run-owners.ts', import.meta.url).href],
  [/\/adapters\/redis\/bullmq\.ts$/, new URL('bullmq.ts', import.meta.url).href],
];

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const url = replacements.find(([pattern]) => pattern.test(resolved.url))?.[1];
    return url === undefined || context.parentURL === url ? resolved : { ...resolved, url };
  },
});
