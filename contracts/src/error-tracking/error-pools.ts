import { poolFigures } from '../schema/shared-pool.ts'
import type { LimitedPool, SharedPool } from '../schema/shared-pool.ts'

const openingPlaces = { places: 16, placesOfOwner: 8, waiting: 500, waitingOfOwner: 128 }
const anonymousPlaces = { places: 4, placesOfOwner: 2, waiting: 100, waitingOfOwner: 20 }
const chunkPlaces = { places: 8, placesOfOwner: 2, waiting: 40, waitingOfOwner: 4 }
const uploadPlaces = { places: 2, placesOfOwner: 1, waiting: 20, waitingOfOwner: 2 }
const publishingPlaces = { places: 256, placesOfOwner: 64, waiting: 500, waitingOfOwner: 128 }

const mebibyte = 1024 * 1024
/** Of one project; one address within it has a quarter of each. */
const costAllowances = {
  bytes: { burst: 64 * mebibyte, perSecond: 4 * mebibyte },
  threadMs: { burst: 10_000, perSecond: 500 },
}
/** Of one account, by each control plane: at most this much of others stands before an event in its partition. */
/** Of the month's quota: what one project may take in a shorter time, `min` where that is more. */
const eventShares = {
  minute: { min: 200, ofMonth: 0.01 },
  day: { min: 1_000, ofMonth: 0.25 },
  ofAddress: 0.25,
}
const backlogOfAccount = { messages: 20_000, bytes: 32 * mebibyte }

/** Events of error tracking. */
export const errorPools = {
  errorOpening: {
    what: 'the thread that unpacks and scrubs error events',
    bound: `${openingPlaces.places} bodies in the thread, which works on one piece of one of them at a time: an event, or small ones for 10 ms; ${openingPlaces.waiting} bodies wait`,
    share: `${openingPlaces.placesOfOwner} bodies in the thread, ${openingPlaces.waitingOfOwner} that wait; turns by the time that its bodies take and the bytes they bring`,
    floor: `of n accounts with bodies each has its turn within n pieces, while fewer than ${openingPlaces.waiting} accounts have bodies`,
    refused: '429 with X-Sentry-Rate-Limits; the body counts as one event, dropped as rate',
    figures: poolFigures(),
    bounds: openingPlaces,
  },
  errorAnonymous: {
    what: 'bodies of error events that name their key inside, until it is known',
    bound: `${anonymousPlaces.places} in the thread, with the share of one account; ${anonymousPlaces.waiting} wait`,
    share: `of one address (IPv6 by /48) ${anonymousPlaces.placesOfOwner} in the thread, ${anonymousPlaces.waitingOfOwner} that wait`,
    floor: `of n addresses with bodies each has its turn within n bodies, while fewer than ${anonymousPlaces.waiting} addresses have bodies`,
    refused: '503 with X-Sentry-Rate-Limits; no project is known that could count it',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total'],
    bounds: anonymousPlaces,
  },
  errorPublishing: {
    what: 'requests whose error events are on their way to the stream',
    bound: `${publishingPlaces.places} under way, ${publishingPlaces.waiting} wait`,
    share: `${publishingPlaces.placesOfOwner} under way, ${publishingPlaces.waitingOfOwner} wait`,
    floor: `of n accounts that wait each has its turn within n requests, while fewer than ${publishingPlaces.waiting} wait`,
    refused: '429 with X-Sentry-Rate-Limits; its events are dropped as rate',
    figures: poolFigures(),
    bounds: publishingPlaces,
  },
  errorMapChunks: {
    what: 'requests that bring parts of source maps, 4 MiB each',
    bound: `${chunkPlaces.places} under way, ${chunkPlaces.waiting} wait`,
    share: `${chunkPlaces.placesOfOwner} under way, ${chunkPlaces.waitingOfOwner} wait`,
    floor: `of n accounts that wait each has its turn within n requests, while fewer than ${chunkPlaces.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: chunkPlaces,
  },
  errorMapUploads: {
    what: 'uploads of source maps that are put together, 32 MiB each in memory',
    bound: `${uploadPlaces.places} under way, ${uploadPlaces.waiting} wait`,
    share: `${uploadPlaces.placesOfOwner} under way, ${uploadPlaces.waitingOfOwner} wait`,
    floor: `of n accounts that wait each has its turn within n uploads, while fewer than ${uploadPlaces.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: uploadPlaces,
  },
  errorCost: {
    what: 'bytes of error events, and time of the thread that opens them',
    bound: 'one thread; 1 MiB a body',
    share: `of a project ${costAllowances.bytes.perSecond / mebibyte} MiB and ${costAllowances.threadMs.perSecond} ms in a second, ${costAllowances.bytes.burst / mebibyte} MiB and ${costAllowances.threadMs.burst / 1_000} s at once; of one address (IPv6 by /48) within it a quarter`,
    floor: 'what others use counts in no budget but their own',
    refused:
      '429 with X-Sentry-Rate-Limits, unopened; the body counts as one event, dropped as rate',
    figures: ['error_events_limited_total'],
    limits: costAllowances,
  },
  errorEvents: {
    what: "the month's events of an account",
    bound: "errorEventsPerMonth of the account's plan",
    share: `of a project ${eventShares.minute.min} or ${eventShares.minute.ofMonth * 100} % in a minute, ${eventShares.day.min} or ${eventShares.day.ofMonth * 100} % in a day, whichever is more; of one address (IPv6 by /48) within it a quarter`,
    floor: 'what others send counts in no quota but their own',
    refused: '429 with X-Sentry-Rate-Limits until the minute or the day ends; dropped as rate',
    figures: ['error_events_limited_total'],
    limits: eventShares,
  },
  errorBacklog: {
    what: 'error events on the stream that are not counted yet',
    bound: '512 MiB on NATS, 128 MiB a partition in one process',
    share: `${backlogOfAccount.messages} events or ${backlogOfAccount.bytes / mebibyte} MiB of an account by each control plane`,
    floor: `an event waits for at most ${backlogOfAccount.messages / 500} batches of each account that shares its partition`,
    refused: '429 with X-Sentry-Rate-Limits; dropped as rate',
    figures: ['error_events_limited_total', 'error_backlog_events', 'stream_lag_bytes'],
    limits: backlogOfAccount,
  },
} as const satisfies Record<string, SharedPool | LimitedPool>
