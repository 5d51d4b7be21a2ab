import { limits } from '@probe-mesh/contracts/schema/limits'

/** A reason as long as a reading takes, and never cut inside a character. */
export const cutReason = (reason: string): string =>
  reason.length <= limits.reasonCharactersMax
    ? reason
    : reason.slice(0, limits.reasonCharactersMax).replace(/[\uD800-\uDBFF]$/, '')
