import { right, wrong, type Kind } from '@probe-mesh/runtime/setting'
import { z } from 'zod'
import { field } from '../schema/field.ts'
import { privateRegionForm } from './private-region.ts'

/** Region code: three lower-case letters, such as `fra`. The operator sets the live regions (`REGIONS`). */
export const Region = field(
  z.string().regex(/^[a-z]{3}$/, 'a region is three lower-case letters, such as fra'),
  'Region.',
  'fra',
)
export type Region = z.infer<typeof Region>

/** A region in the environment or on a command line. */
export const regionCode: Kind<Region> = {
  form: 'three lower-case letters',
  parse: (text) =>
    Region.safeParse(text).success
      ? right(text)
      : wrong(`must be a code of three lower-case letters, not ${text}`),
}

/** The default live regions (S-207). */
export const regionsDefault: readonly Region[] = ['iad', 'sjc', 'fra', 'nrt']

/**
 * A region of the mesh, or a private agent, which is a region of its own.
 */
export const AnyRegion = field(
  z
    // linear: its length is fixed
    .string()
    .regex(
      new RegExp(`^(?:[a-z]{3}|${privateRegionForm})$`),
      'a region is three lower-case letters, such as fra, or an agent of the account: private-<its id>',
    ),
  'Region.',
  'fra',
)
