import { poolFigures, type LimitedPool, type SharedPool } from '@probe-mesh/contracts/schema/shared-pool'

const openingPlaces = { places: 16, placesOfOwner: 8, waiting: 500, waitingOfOwner: 128 }
const anonymousPlaces = { places: 4, placesOfOwner: 2, waiting: 100, waitingOfOwner: 20 }
const chunkPlaces = { places: 8, placesOfOwner: 2, waiting: 40, waitingOfOwner: 4 }
const uploadPlaces = { places: 2, placesOfOwner: 1, waiting: 20, waitingOfOwner: 2 }
const publishingPlaces = { places: 256, placesOfOwner: 64, waiting: 500, waitingOfOwner: 128 }

const mebibyte = 1024 * 1024
/** Budgets of one project. One address in it may use a quarter of each. */
const costAllowances = {
  bytes: { burst: 64 * mebibyte, perSecond: 4 * mebibyte },
  threadMs: { burst: 10_000, perSecond: 500 },
}
/** Shares of the monthly quota that one project may use per minute and day, but at least `min`. */
const eventShares = {
  minute: { min: 200, ofMonth: 0.01 },
  day: { min: 1_000, ofMonth: 0.25 },
  ofAddress: 0.25,
}
/** Backlog of one account at each control plane. It bounds the wait of other accounts in the partition. */
const backlogOfAccount = { messages: 20_000, bytes: 32 * mebibyte }

/** Events of error tracking. */
export const errorPools = {
  errorOpening: {
    what: 'the thread that unpacks and scrubs error events',
    bound: `${openingPlaces.places} bodies in the thread, which processes one piece at a time: an event, or small events for 10 ms; ${openingPlaces.waiting} bodies waiting`,
    share: `${openingPlaces.placesOfOwner} bodies in the thread, ${openingPlaces.waitingOfOwner} waiting; turns by the time and bytes of its bodies`,
    floor: `with n active accounts, each has its turn within n pieces, while fewer than ${openingPlaces.waiting} accounts have bodies`,
    refused: '429 with X-Sentry-Rate-Limits; the body counts as one event, dropped as rate',
    figures: poolFigures(),
    bounds: openingPlaces,
  },
  errorAnonymous: {
    what: 'error event bodies with the key inside, until the key is read',
    bound: `${anonymousPlaces.places} in the thread, with the share of one account; ${anonymousPlaces.waiting} waiting`,
    share: `for one address (IPv6: one /48) ${anonymousPlaces.placesOfOwner} in the thread, ${anonymousPlaces.waitingOfOwner} waiting`,
    floor: `with n active addresses, each has its turn within n bodies, while fewer than ${anonymousPlaces.waiting} addresses have bodies`,
    refused: '503 with X-Sentry-Rate-Limits; not counted, since the project is unknown',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total'],
    bounds: anonymousPlaces,
  },
  errorPublishing: {
    what: 'requests that publish error events to the stream',
    bound: `${publishingPlaces.places} in flight, ${publishingPlaces.waiting} waiting`,
    share: `${publishingPlaces.placesOfOwner} in flight, ${publishingPlaces.waitingOfOwner} waiting`,
    floor: `with n waiting accounts, each has its turn within n requests, while fewer than ${publishingPlaces.waiting} wait`,
    refused: '429 with X-Sentry-Rate-Limits; its events are dropped as rate',
    figures: poolFigures(),
    bounds: publishingPlaces,
  },
  errorMapChunks: {
    what: 'uploads of source map chunks, up to 4 MiB per request',
    bound: `${chunkPlaces.places} in flight, ${chunkPlaces.waiting} waiting`,
    share: `${chunkPlaces.placesOfOwner} in flight, ${chunkPlaces.waitingOfOwner} waiting`,
    floor: `with n waiting accounts, each has its turn within n requests, while fewer than ${chunkPlaces.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: chunkPlaces,
  },
  errorMapUploads: {
    what: 'assembly of source map uploads, up to 32 MiB of memory each',
    bound: `${uploadPlaces.places} in progress, ${uploadPlaces.waiting} waiting`,
    share: `${uploadPlaces.placesOfOwner} in progress, ${uploadPlaces.waitingOfOwner} waiting`,
    floor: `with n waiting accounts, each has its turn within n uploads, while fewer than ${uploadPlaces.waiting} wait`,
    refused: 'SV-9002 with Retry-After',
    figures: poolFigures(),
    bounds: uploadPlaces,
  },
  errorCost: {
    what: 'bytes of error events, and time in the thread that unpacks them',
    bound: 'one thread; 1 MiB per body',
    share: `for a project ${costAllowances.bytes.perSecond / mebibyte} MiB and ${costAllowances.threadMs.perSecond} ms per second, ${costAllowances.bytes.burst / mebibyte} MiB and ${costAllowances.threadMs.burst / 1_000} s at once; for one address in it (IPv6: one /48) a quarter`,
    floor: 'every project has its own budget',
    refused: '429 with X-Sentry-Rate-Limits before unpacking; the body counts as one event, dropped as rate',
    figures: ['error_events_limited_total'],
    limits: costAllowances,
  },
  errorEvents: {
    what: "an account's events of the month",
    bound: "errorEventsPerMonth of the account's plan",
    share: `for a project ${eventShares.minute.min} or ${eventShares.minute.ofMonth * 100} % per minute, ${eventShares.day.min} or ${eventShares.day.ofMonth * 100} % per day, whichever is more; for one address in it (IPv6: one /48) a quarter`,
    floor: 'every account has its own quota',
    refused: '429 with X-Sentry-Rate-Limits until the minute or the day ends; dropped as rate',
    figures: ['error_events_limited_total'],
    limits: eventShares,
  },
  errorBacklog: {
    what: 'error events on the stream that are not counted yet',
    bound: '512 MiB on NATS, 128 MiB per partition in one process',
    share: `${backlogOfAccount.messages} events or ${backlogOfAccount.bytes / mebibyte} MiB of an account at each control plane`,
    floor: `an event waits for at most ${backlogOfAccount.messages / 500} batches of each account that shares its partition`,
    refused: '429 with X-Sentry-Rate-Limits; dropped as rate',
    figures: ['error_events_limited_total', 'error_backlog_events', 'stream_lag_bytes'],
    limits: backlogOfAccount,
  },
} as const satisfies Record<string, SharedPool | LimitedPool>
