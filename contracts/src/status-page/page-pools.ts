import { inSeconds as seconds, poolFigures, slowestNeighbours, type SlowPool } from '../schema/shared-pool.ts'

const images = { places: 2, placesOfOwner: 1, waiting: 100, waitingOfOwner: 2 }
/** The longest time to decode and encode one image; the wait is longer than one. */
const workMsMax = 4_000
const waitMsMax = 5_000
const slow = { bounds: images, workMsMax, waitMsMax }

/** What accounts share when they design status pages. */
export const pagePools = {
  logoImages: {
    what: 'uploaded logos that are decoded, up to 4 million pixels each',
    bound: `${images.places} in progress, ${images.waiting} waiting for at most ${seconds(waitMsMax)}`,
    share: `${images.placesOfOwner} in progress, ${images.waitingOfOwner} waiting; one stored logo a page`,
    floor: `with n waiting accounts, each has its turn within n images, while fewer than ${images.waiting} wait; with the slowest images (${seconds(workMsMax)}) in time next to ${slowestNeighbours(slow)} other accounts`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: images,
    workMsMax,
    waitMsMax,
  },
} as const satisfies Record<string, SlowPool>
