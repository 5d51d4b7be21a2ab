import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import {
  attemptRowsMax,
  estimateBounds,
  estimateMsMax,
  hashingBounds,
  hashingWaitMsMax,
  knownRule,
  mailRule,
  networkRules,
  signUpRules,
  strangerGuessesPerHour,
  strangersRule,
} from './login-rules.ts'
import type { AttemptRule, NetworkRules } from './login-rules.ts'

/** A pool or budget that many accounts share, as `docs/overload.md` prints it. */
export type SharedPool = {
  /** What is shared. */
  what: string
  /** How much there is for everybody together. */
  bound: string
  /** The most that one account gets. */
  share: string
  /** What no other account can take from one that asks for little. */
  floor: string
  /** What happens to what does not fit. */
  refused: string
  /** Where it is counted: figures of `/metrics`. */
  figures: readonly string[]
  /** Of a pool with places: the bounds that the code uses. */
  bounds?: PoolBounds
}

/** Calls of tools at a gateway. */
export const gatewayPools = {
  gatewayCalls: {
    what: 'Calls of the MCP gateway to the control plane',
    bounds: { places: 64, placesOfOwner: 48, waiting: 1_024, waitingOfOwner: 256 },
    bound: '64 under way, 1,024 waiting for at most 12 s',
    share: '48 and 256 of one key, or of one network where the key is not known yet',
    floor: 'keys and networks take turns: a first call waits for one call of each of the others',
    refused: 'SV-9002',
    figures: ['mcp_upstream_waiting', 'mcp_upstream_refused_total'],
  },
} as const satisfies Record<string, SharedPool>

/** A budget without places: its row and the numbers that the code uses. */
export type LimitedPool = SharedPool & { limits: object }

/** At the agents: works of a region's checks. */
export const agentPools = {} as const satisfies Record<string, SharedPool>

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {
  pings: {
    what: 'Pings of heartbeats that wait to be recorded',
    bounds: { places: 1_000, placesOfOwner: 1_000, waiting: 9_000, waitingOfOwner: 4_500 },
    bound: '10,000',
    share: '5,500 from one network (an IPv4 address, an IPv6 /64)',
    floor: 'networks take turns: recorded after two batches of 500 and one of each other network',
    refused: '503 with `Retry-After`, which clients of healthchecks.io try again',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
  },
} as const satisfies Record<string, SharedPool>

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
    floor: 'of n accounts with bodies each has its turn within n pieces',
    refused: '429 with X-Sentry-Rate-Limits; the body counts as one event, dropped as rate',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total', 'pool_account_works'],
    bounds: openingPlaces,
  },
  errorAnonymous: {
    what: 'bodies of error events that name their key inside, until it is known',
    bound: `${anonymousPlaces.places} in the thread, with the share of one account; ${anonymousPlaces.waiting} wait`,
    share: `of one address (IPv6 by /64) ${anonymousPlaces.placesOfOwner} in the thread, ${anonymousPlaces.waitingOfOwner} that wait`,
    floor: 'of n addresses with bodies each has its turn within n bodies',
    refused: '503 with X-Sentry-Rate-Limits; no project is known that could count it',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total'],
    bounds: anonymousPlaces,
  },
  errorPublishing: {
    what: 'requests whose error events are on their way to the stream',
    bound: `${publishingPlaces.places} under way, ${publishingPlaces.waiting} wait`,
    share: `${publishingPlaces.placesOfOwner} under way, ${publishingPlaces.waitingOfOwner} wait`,
    floor: 'of n accounts that wait each has its turn within n requests',
    refused: '429 with X-Sentry-Rate-Limits; its events are dropped as rate',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total', 'pool_account_works'],
    bounds: publishingPlaces,
  },
  errorMapChunks: {
    what: 'requests that bring parts of source maps, 4 MiB each',
    bound: `${chunkPlaces.places} under way, ${chunkPlaces.waiting} wait`,
    share: `${chunkPlaces.placesOfOwner} under way, ${chunkPlaces.waitingOfOwner} wait`,
    floor: 'of n accounts that wait each has its turn within n requests',
    refused: 'SV-9002 with Retry-After',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total', 'pool_account_works'],
    bounds: chunkPlaces,
  },
  errorMapUploads: {
    what: 'uploads of source maps that are put together, 32 MiB each in memory',
    bound: `${uploadPlaces.places} under way, ${uploadPlaces.waiting} wait`,
    share: `${uploadPlaces.placesOfOwner} under way, ${uploadPlaces.waitingOfOwner} wait`,
    floor: 'of n accounts that wait each has its turn within n uploads',
    refused: 'SV-9002 with Retry-After',
    figures: ['pool_taken', 'pool_waiting', 'pool_refused_total', 'pool_account_works'],
    bounds: uploadPlaces,
  },
  errorCost: {
    what: 'bytes of error events, and time of the thread that opens them',
    bound: 'one thread; 1 MiB a body',
    share: `of a project ${costAllowances.bytes.perSecond / mebibyte} MiB and ${costAllowances.threadMs.perSecond} ms in a second, ${costAllowances.bytes.burst / mebibyte} MiB and ${costAllowances.threadMs.burst / 1_000} s at once; of one address (IPv6 by /64) within it a quarter`,
    floor: 'what others use counts in no budget but their own',
    refused:
      '429 with X-Sentry-Rate-Limits, unopened; the body counts as one event, dropped as rate',
    figures: ['error_events_limited_total'],
    limits: costAllowances,
  },
  errorEvents: {
    what: "the month's events of an account",
    bound: "errorEventsPerMonth of the account's plan",
    share: `of a project ${eventShares.minute.min} or ${eventShares.minute.ofMonth * 100} % in a minute, ${eventShares.day.min} or ${eventShares.day.ofMonth * 100} % in a day, whichever is more; of one address (IPv6 by /64) within it a quarter`,
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

/**
 * How the places for messages of one kind are shared, in each control plane. A lane holds some of
 * them, so that the other one is never without a place.
 */
export type DeliveryBounds = {
  places: number
  /** Of one account, over all control planes. */
  placesOfAccount: number
  /** Kept for accounts that have no message under way. */
  placesOfNewcomers: number
  /** Messages that wait behind others: to slow channels, news for subscribers. */
  placesOfLater: number
  /** All other messages. */
  placesOfFirst: number
  /** The longest attempt, ms. */
  attemptMsMax: number
}

const channelDeliveries: DeliveryBounds = {
  places: 64,
  placesOfAccount: 16,
  placesOfNewcomers: 16,
  placesOfLater: 32,
  placesOfFirst: 64,
  attemptMsMax: 10_000,
}
/** A channel whose last attempt took longer is slow, ms. */
export const slowChannelMs = 2_000

const mailDeliveries: DeliveryBounds = {
  places: 5,
  placesOfAccount: 3,
  placesOfNewcomers: 1,
  placesOfLater: 4,
  placesOfFirst: 4,
  attemptMsMax: 30_000,
}

/** Messages of one account that wait to be sent. */
export const waitingDeliveriesMax = 50_000

/** Confirmation mails, which go to people who may be strangers to the account. */
export const subscriptionMailBounds = {
  perMailboxAndDay: 5,
  perAccountAndDay: 100,
  perDomainAndDay: 100,
  /** More a day for each subscription that was confirmed, of the account or of the domain. */
  perConfirmed: 2,
} as const

const turnOf = (places: number, { attemptMsMax }: DeliveryBounds): string =>
  `of n accounts with messages waiting, each is served within ceil(n / ${places}) x ${attemptMsMax / 1000} s`

/** What leaves: messages to channels, mail. */
export const outgoingPools = {
  channelDeliveries: {
    what: 'Messages to notification channels under way, in each control plane',
    bound: `${channelDeliveries.places}; one of a channel; ${channelDeliveries.placesOfLater} to channels whose last attempt took over ${slowChannelMs / 1000} s`,
    share: `${channelDeliveries.placesOfAccount} of an account`,
    floor: `${channelDeliveries.placesOfNewcomers} places only for accounts with none under way; ${turnOf(channelDeliveries.places - channelDeliveries.placesOfLater, channelDeliveries)}, over a channel that is not slow`,
    refused: 'nothing: a message waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: channelDeliveries,
  },
  mailDeliveries: {
    what: 'Mails under way, in each control plane',
    bound: `${mailDeliveries.places}; ${mailDeliveries.placesOfLater} of news for subscribers and confirmation mails, ${mailDeliveries.placesOfFirst} of all other mail, which goes first`,
    share: `${mailDeliveries.placesOfAccount} of an account`,
    floor: `${mailDeliveries.placesOfNewcomers} place only for accounts with none under way; ${turnOf(mailDeliveries.places - mailDeliveries.placesOfLater, mailDeliveries)}`,
    refused: 'nothing: a mail waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: mailDeliveries,
  },
  subscriptionMails: {
    what: 'Confirmation mails to people who ask for the mail of a page, a day (UTC)',
    bound: `to one mailbox ${subscriptionMailBounds.perMailboxAndDay} in 24 h, a+1@ counted as a@; to one domain ${subscriptionMailBounds.perDomainAndDay} and ${subscriptionMailBounds.perConfirmed} for each confirmed subscription there`,
    share: `${subscriptionMailBounds.perAccountAndDay} of an account and ${subscriptionMailBounds.perConfirmed} for each confirmed subscription to its pages; none while no address of its users is confirmed`,
    floor: 'the share of the account, but for domains that have had their mail',
    refused:
      'the mail is not sent; the visitor is answered as always, and the account sees the count',
    figures: ['subscriptions_asked_total'],
  },
  waitingDeliveries: {
    what: 'Messages that wait to be sent',
    bound: 'none in all: disk',
    share: `${waitingDeliveriesMax} of an account`,
    floor: `the first ${waitingDeliveriesMax} of an account, whatever others have`,
    refused: 'the oldest news for subscribers of the account is dropped first, alerts last',
    figures: ['deliveries_dropped_total', 'notify_dropped_total', 'deliveries_account_waiting'],
  },
} as const satisfies Record<string, SharedPool & { delivery?: DeliveryBounds }>

/** What comes from private agents, and what is set aside. */
export const relayPools = {} as const satisfies Record<string, SharedPool>

/** How often targets are asked. */
export const targetPools = {} as const satisfies Record<string, SharedPool>

const minutesOf = (ms: number): string => `${ms / 60_000} min`
const secondsOf = (ms: number): string => `${ms / 1_000} s`
const attemptsText = (rule: AttemptRule): string =>
  `${rule.freeAttempts} at once, then a wait that doubles from ${secondsOf(rule.firstWaitMs)} to ${minutesOf(rule.waitMsMax)}`
const networksText = ([own, around56, around48]: NetworkRules): string =>
  `${attemptsText(own)}; an IPv6 /56 has ${around56.freeAttempts} at once, a /48 ${around48.freeAttempts}`
const hashingText = ({ places, waiting }: PoolBounds): string =>
  `${places} hashed at a time, ${waiting} wait, each for at most ${secondsOf(hashingWaitMsMax)}`

/** Logins, sign-ups and the mail that they send. */
export const loginPools = {
  passwordsOfStrangers: {
    what: 'Password hashing for browsers and networks that never logged in to the account',
    bound: hashingText(hashingBounds.strangers),
    share: `${hashingBounds.strangers.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48)`,
    floor: 'the next turn, by round robin over the networks that wait',
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.strangers,
  },
  passwordsOfKnownVisitors: {
    what: 'Password hashing for known browsers and networks, and for changes of a password',
    bound: hashingText(hashingBounds.known),
    share: `${hashingBounds.known.waitingOfOwner} waiting of one account`,
    floor:
      'a place that no stranger takes; the next turn, by round robin over the accounts that wait',
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.known,
  },
  newPasswords: {
    what: 'New passwords that are judged, at sign-up and at a change',
    bound: `${estimateBounds.places} at a time in a thread of its own, ${estimateBounds.waiting} wait, each for at most ${secondsOf(estimateMsMax)}`,
    share: `${estimateBounds.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48) or account`,
    floor: 'the next turn, by round robin over the networks and accounts that wait',
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: estimateBounds,
  },
  loginAttempts: {
    what: 'Attempts to log in by password',
    bound: `about one e-mail address from all unknown networks: ${attemptsText(strangersRule)}, so less than ${strangerGuessesPerHour} an hour; ${attemptRowsMax} counts are kept`,
    share: `one network, about any address: ${networksText(networkRules)}`,
    floor: `a known browser, and a known network: ${attemptsText(knownRule)}; a mailed link always works`,
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
  loginMails: {
    what: 'Mails with a login link, or a sign-up link, to one address',
    bound: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} that unknown networks ask for`,
    share: `one network, to any address: ${networksText(networkRules)}`,
    floor: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} for each known browser and known network`,
    refused: 'answered the same; nothing is mailed, and the links that were mailed still work',
    figures: ['http_requests_total'],
  },
  signUps: {
    what: 'Requests for an account',
    bound: 'none for all networks together',
    share: networksText(signUpRules),
    floor: 'other networks cannot use up the share of a network',
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
} as const satisfies Record<string, SharedPool>

/**
 * All that accounts share. `acceptance/fairness` fills each by other accounts and shows that one at its floor
 * is served; a pool without a case there fails.
 */
export const sharedPools = {
  ...gatewayPools,
  ...agentPools,
  ...requestPools,
  ...errorPools,
  ...outgoingPools,
  ...relayPools,
  ...targetPools,
  ...loginPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
