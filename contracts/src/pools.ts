import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { limits } from './limits.ts'

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
}

/** A pool with places: its row and the bounds that the code uses. */
export type PlacedPool = SharedPool & { bounds: PoolBounds }

/** At the agents: works of a region's checks. */
export const agentPools = {} as const satisfies Record<string, SharedPool>

/** The figures of a fair pool, and what else counts its works. */
const figuresOf = (...others: string[]): string[] => [
  'pool_taken',
  'pool_waiting',
  'pool_account_works',
  'pool_refused_total',
  ...others,
]

const seconds = (ms: number): string => `${ms / 1_000} s`
const count = (figure: number): string => figure.toLocaleString('en-US')

const requests = { places: 1_000, placesOfOwner: 250, waiting: 0, waitingOfOwner: 0 }
const requestFloors = { places: 200, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 2 }
const runFloors = { places: 100, placesOfOwner: 1, waiting: 1_000, waitingOfOwner: 1 }
const requestFloorWaitMsMax = 5_000
const keylessFloors = { places: 50, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }
/** Connections for what precedes an account: look-ups of keys and sessions, budgets, public pages. */
export const lookUpConnections = 8
const connections = { places: 12, placesOfOwner: 6, waiting: 4_000, waitingOfOwner: 500 }
const targetQuestions = { places: 4, placesOfOwner: 2, waiting: 1_000, waitingOfOwner: 100 }
const queries = { places: 5, placesOfOwner: 3, waiting: 1_000, waitingOfOwner: 100 }
/** A statement or query that an account waits for ends after this time. */
const statementMsMax = 10_000
const storeWaitMsMax = 8_000
const streams = { places: 5_000, placesOfOwner: 50, waiting: 0, waitingOfOwner: 0 }
const streamFloors = { places: 1_000, placesOfOwner: 2, waiting: 0, waitingOfOwner: 0 }
const relayStreams = { places: 2_000, placesOfOwner: 200, waiting: 0, waitingOfOwner: 0 }
const relayFloors = { places: 500, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }

/** Keys of one account that may be open at a time. */
export const openKeysMax = 50
/** An account's keys together may ask as much as this many of them. */
export const keysPerAccountBudget = 10
/** What the sessions of one user together may ask in a minute: a person with several pages open. */
export const userRequestsPerMinute = { reads: 600, writes: 60 } as const

type RequestBounds = {
  bounds: PoolBounds
  waitMsMax: number
  statementMsMax: number
  queryMsMax: number
}

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {
  requests: {
    what: 'requests of the API and the dashboard that wait for a store or an agent',
    bound: `${count(requests.places)} under way; half of them for keyless and free, three quarters for Growth`,
    share: `${requests.placesOfOwner} of one account or one keyless address`,
    floor: 'the row "requests of accounts with almost nothing under way"',
    refused: 'SV-9002 at once, those who pay least first',
    figures: figuresOf('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requests,
  },
  requestFloors: {
    what: 'requests of accounts with almost nothing under way, when the places above are taken',
    bound: `${requestFloors.places} under way, ${count(requestFloors.waiting)} waiting`,
    share: `${requestFloors.placesOfOwner} under way of one account, those above counted too`,
    floor: `the next place, round robin over accounts and before those that used more time: with 1,000 accounts waiting, after 5 rounds of ${requestFloors.places} requests; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: figuresOf('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requestFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  runFloors: {
    what: 'runs by hand and trials of accounts with almost nothing under way, when the places above are taken',
    bound: `${runFloors.places} under way, ${count(runFloors.waiting)} waiting: they last as long as a probe does, so that other requests do not wait for them`,
    share: `${runFloors.placesOfOwner} under way of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: figuresOf('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: runFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  keylessFloors: {
    what: 'keyless requests of addresses with nothing else under way, when the places above are taken',
    bound: `${keylessFloors.places} under way`,
    share: `${keylessFloors.placesOfOwner} of one address`,
    floor: 'none: addresses cost nothing, so that none can be promised a place',
    refused: 'SV-9002 at once',
    figures: figuresOf('http_requests_overloaded_total'),
    bounds: keylessFloors,
  },
  postgresConnections: {
    what: 'connections to Postgres for what accounts ask',
    bound: `${connections.places} connections, ${count(connections.waiting)} requests waiting; a statement ends after ${seconds(statementMsMax)}. Loops have ${connections.places} of their own, look-ups of keys and sessions ${lookUpConnections}`,
    share: `${connections.placesOfOwner} of one account`,
    floor: `the next connection, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: figuresOf(),
    bounds: connections,
    waitMsMax: storeWaitMsMax,
    statementMsMax,
  },
  targetQuestions: {
    what: 'questions how often a host is asked, for a check that is saved or run by hand',
    bound: `${targetQuestions.places} at once, ${count(targetQuestions.waiting)} waiting`,
    share: `${targetQuestions.placesOfOwner} of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: figuresOf(),
    bounds: targetQuestions,
    waitMsMax: storeWaitMsMax,
  },
  clickhouseQueries: {
    what: 'queries of ClickHouse: readings, series, searches of errors, the ledger',
    bound: `${queries.places} at once, ${count(queries.waiting)} waiting; a query ends after ${seconds(statementMsMax)}`,
    share: `${queries.placesOfOwner} of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: figuresOf(),
    bounds: queries,
    waitMsMax: storeWaitMsMax,
    queryMsMax: statementMsMax,
  },
  eventStreams: {
    what: 'streams of live events',
    bound: `${count(streams.places)} of one control plane`,
    share: `5 of one key or session, ${streams.placesOfOwner} of one account`,
    floor: 'the row "streams of accounts that have almost none"',
    refused: 'SV-6001 over the share, SV-9002 over the bound',
    figures: figuresOf('http_event_streams'),
    bounds: streams,
  },
  eventStreamFloors: {
    what: 'streams of accounts that have almost none, when the places above are taken',
    bound: `${count(streamFloors.places)} of one control plane`,
    share: `${streamFloors.placesOfOwner} of one account, those above counted too`,
    floor: `${streamFloors.placesOfOwner} streams at once, for ${count(streamFloors.places / streamFloors.placesOfOwner)} accounts of each control plane`,
    refused: 'SV-9002',
    figures: figuresOf('http_event_streams'),
    bounds: streamFloors,
  },
  relayStreams: {
    what: 'streams of private agents',
    bound: `${count(relayStreams.places)} of one control plane, one of an agent`,
    share: `${relayStreams.placesOfOwner} of one account`,
    floor: 'the row "streams of private agents of accounts that have none"',
    refused: 'SV-9002: the agent tries again, at any control plane',
    figures: figuresOf(),
    bounds: relayStreams,
  },
  relayStreamFloors: {
    what: 'streams of private agents of accounts that have none, when the places above are taken',
    bound: `${relayFloors.places} of one control plane`,
    share: `${relayFloors.placesOfOwner} of one account`,
    floor: `one stream at once, for ${relayFloors.places} accounts of each control plane`,
    refused: 'SV-9002',
    figures: figuresOf(),
    bounds: relayFloors,
  },
  accountRequests: {
    what: 'reads and writes of all keys of one account in a minute',
    bound: `${openKeysMax} keys of one account`,
    share: `as much as ${keysPerAccountBudget} keys: ${count(keysPerAccountBudget * limits.readsPerMinute)} reads and ${keysPerAccountBudget * limits.writesPerMinute} writes, of all control planes together`,
    floor: "an account's own: no other account counts",
    refused: 'SV-6001 and SV-6002 which name the account; SV-3002 for a key too many',
    figures: ['budget_trips_total', 'budget_keys'],
  },
  userRequests: {
    what: 'reads and writes of all sessions of one user in a minute',
    bound: 'none in all: places above bound what is under way',
    share: `${userRequestsPerMinute.reads} reads and ${userRequestsPerMinute.writes} writes, however often the user logs in, of one control plane`,
    floor: "a user's own: no other user counts",
    refused: 'SV-6001 and SV-6002',
    figures: [],
  },
} as const satisfies Record<string, SharedPool & Partial<RequestBounds>>

/** Events of error tracking. */
export const errorPools = {} as const satisfies Record<string, SharedPool>

/** What leaves: messages to channels, mail. */
export const outgoingPools = {} as const satisfies Record<string, SharedPool>

/** What comes from private agents, and what is set aside. */
export const relayPools = {} as const satisfies Record<string, SharedPool>

/** How often targets are asked, requests a minute. */
export const targetBudget = {
  /** Of one host by the checks of all accounts. */
  hostPerMinute: 6_000,
  /** Of that, by one account. */
  accountShare: 0.5,
  /** A site has many hosts, and often one machine for them. */
  siteFactor: 2,
  /** The floor of an account: one check at this interval from all live regions. */
  floorIntervalSeconds: 60,
  /** All floors together, beyond what all accounts may ask; sign-up is open, so free ones have less. */
  floorsShare: { paid: 1, free: 0.5 },
  /** By hand, beside what is scheduled. */
  byHandShare: 0.1,
  /** By hand: the longest journey, from all regions. */
  runRequestsMax: 50,
} as const

const percent = (share: number): string => `${share * 100} %`
const { hostPerMinute, byHandShare, floorsShare } = targetBudget

/** How often targets are asked. */
export const targetPools = {
  targetRequests: {
    what: 'requests a minute of the checks of all accounts to one host',
    bound: `${count(hostPerMinute)} (\`TARGET_REQUESTS_PER_MINUTE\`); ${targetBudget.siteFactor} times as many to one site`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `one check from all live regions each ${targetBudget.floorIntervalSeconds} s, or at the tier's shortest interval if that is longer; all floors together add at most ${percent(floorsShare.paid)} to the bound, those of free accounts ${percent(floorsShare.free)}`,
    refused: 'SV-5001 where a check is created, changed or resumed',
    figures: [],
  },
  targetRunsByHand: {
    what: 'requests a minute of runs by hand to one host',
    bound: `${percent(byHandShare)} of the row above: ${count(hostPerMinute * byHandShare)}`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `${targetBudget.runRequestsMax} requests, as many as one run of any check makes; all floors together at most as many again as the bound`,
    refused: 'SV-5001 with status 429',
    figures: [],
  },
} as const satisfies Record<string, SharedPool>

/** Logins, sign-ups and the mail that they send. */
export const loginPools = {} as const satisfies Record<string, SharedPool>

/**
 * All that accounts share. `acceptance/fairness` fills each by other accounts and shows that one at its floor
 * is served; a pool without a case there fails.
 */
export const sharedPools = {
  ...agentPools,
  ...requestPools,
  ...errorPools,
  ...outgoingPools,
  ...relayPools,
  ...targetPools,
  ...loginPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
