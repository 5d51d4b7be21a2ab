import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** The four live regions and six that could be. */
export const tenRegions: readonly Region[] = [
  ...regionsDefault,
  'gru',
  'lhr',
  'sin',
  'syd',
  'bom',
  'jnb',
]
