import { z } from 'zod'

/** Region code: three lower-case letters, such as `fra`. The live set is the operator's (`REGIONS`). */
export const Region = z
  .string()
  .regex(/^[a-z]{3}$/, 'a region is three lower-case letters, such as fra')
export type Region = z.infer<typeof Region>

/** The four live regions of the specification ("The service has 4 live regions"). */
export const regionsDefault: readonly Region[] = ['iad', 'sjc', 'fra', 'nrt']
