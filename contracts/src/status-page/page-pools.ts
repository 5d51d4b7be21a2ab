import { inSeconds as seconds, poolFigures, type PlacedPool } from '../schema/shared-pool.ts'

const images = { places: 2, placesOfOwner: 1, waiting: 100, waitingOfOwner: 2 }
const waitMsMax = 4_000

/** What accounts share when they design status pages. */
export const pagePools = {
  logoImages: {
    what: 'uploaded logos that are decoded, up to 4 million pixels each',
    bound: `${images.places} in progress, ${images.waiting} waiting for at most ${seconds(waitMsMax)}`,
    share: `${images.placesOfOwner} in progress, ${images.waitingOfOwner} waiting; one stored logo a page`,
    floor: `with n waiting accounts, each has its turn within n images, while fewer than ${images.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: images,
    waitMsMax,
  },
} as const satisfies Record<string, PlacedPool & { waitMsMax: number }>
