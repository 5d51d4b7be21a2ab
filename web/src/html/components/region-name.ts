import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'

/** A region as people read it: an agent of the account is none that they know by a code. Pure. */
export const regionName = (region: string): string => (isPrivateRegion(region) ? 'your agent' : region)
