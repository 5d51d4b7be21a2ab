import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'

/** The display name of a region. Private agents have no code that people know. Pure. */
export const regionName = (region: string): string => (isPrivateRegion(region) ? 'your agent' : region)
