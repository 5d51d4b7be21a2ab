import { limits } from '@probe-mesh/contracts/schema/limits'

/** Shortens a reason to the limit of a reading, never inside a character. */
export const cutReason = (reason: string): string =>
  reason.length <= limits.reasonCharactersMax
    ? reason
    : reason.slice(0, limits.reasonCharactersMax).replace(/[\uD800-\uDBFF]$/, '')
