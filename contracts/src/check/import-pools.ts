import { inSeconds as seconds, poolFigures, type SlowPool } from '../schema/shared-pool.ts'

const reads = { places: 1, placesOfOwner: 1, waiting: 50, waitingOfOwner: 2 }
const waitMsMax = 4_000
/** The longest time to read one import. */
const workMsMax = 5_000

/** What accounts share when they import checks. */
export const importPools = {
  imports: {
    what: 'curl commands, OpenAPI documents and HAR files that are read, in a thread of their own',
    bound: `${reads.places} in progress, ${reads.waiting} waiting for at most ${seconds(waitMsMax)}`,
    share: `${reads.placesOfOwner} in progress, ${reads.waitingOfOwner} waiting`,
    floor: `with n waiting accounts, each has its turn within n imports, while fewer than ${reads.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: reads,
    workMsMax,
    waitMsMax,
  },
} as const satisfies Record<string, SlowPool>
