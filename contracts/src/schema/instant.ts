import { z } from 'zod'

/** ISO 8601 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 })
