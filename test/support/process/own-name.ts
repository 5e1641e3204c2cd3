import { registerHooks } from 'node:module';

// For `node --import`: lets modules in any folder import this package by its name, as it is compiled in dist/.

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      /^orchestration-service(?:\/|$)/.test(specifier) ? { ...context, parentURL: import.meta.url } : context,
    ),
});
