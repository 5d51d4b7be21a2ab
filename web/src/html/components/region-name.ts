import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'

/** The display name of a region. Private agents have no code that people know. */
export const regionName = (region: string): string => (isPrivateRegion(region) ? 'your agent' : region)
