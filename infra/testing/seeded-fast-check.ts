// `fast-check` in tests: vitest.config.ts replaces the package by this module.
import { createRequire } from 'node:module'
import type fastCheck from 'fast-check'
import { caseSeed, isSearch } from './case-seed.ts'

/**
 * The cases of a property in `npm test`. `npm run acceptance -- properties` tries as many as the test names, and so does
 * a test with a seed of its own.
 */
const casesMax = 100

// not imported, because the import of this name is this module
const library = createRequire(import.meta.url)('fast-check') as typeof fastCheck
/** A search ends a property after this time, in which a failing case becomes small, ms. */
const searchMsMax = 300_000
library.configureGlobal({
  seed: caseSeed,
  ...(isSearch && { interruptAfterTimeLimit: searchMsMax }),
})

const assert = ((
  property: fastCheck.IRawProperty<unknown>,
  parameters: fastCheck.Parameters<unknown> = {},
) => {
  const { numRuns = casesMax, seed } = parameters
  const isShort = !isSearch && seed === undefined
  return library.assert(
    property,
    isShort ? { ...parameters, numRuns: Math.min(numRuns, casesMax) } : parameters,
  )
}) as typeof fastCheck.assert

// oxlint-disable-next-line import/no-default-export -- the package has one
export default { ...library, assert }
