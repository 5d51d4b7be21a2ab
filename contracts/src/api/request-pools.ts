import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { limits } from '../schema/limits.ts'
import { inFigures as count, inSeconds as seconds, poolFigures } from '../schema/shared-pool.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

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

const requests = { places: 1_000, placesOfOwner: 250, waiting: 0, waitingOfOwner: 0 }
const requestFloors = { places: 200, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 2 }
const runFloors = { places: 100, placesOfOwner: 1, waiting: 2_000, waitingOfOwner: 1 }
const requestFloorWaitMsMax = 5_000
const keylessFloors = { places: 50, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }
/** Connections for what precedes an account: look-ups of keys and sessions, budgets, public pages. */
export const lookUpConnections = 8
const connections = { places: 12, placesOfOwner: 6, waiting: 4_000, waitingOfOwner: 500 }
const targetQuestions = { places: 4, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 100 }
const queries = { places: 5, placesOfOwner: 3, waiting: 2_000, waitingOfOwner: 100 }
/** A statement or query that an account waits for ends after this time. */
const statementMsMax = 10_000
const storeWaitMsMax = 8_000
const lookUps = { places: 6, placesOfOwner: 3, waiting: 4_000, waitingOfOwner: 500 }
const lookUpWaitMsMax = 4_000
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
  pings: {
    what: 'Pings of heartbeats that wait to be recorded',
    bounds: { places: 1_000, placesOfOwner: 1_000, waiting: 9_000, waitingOfOwner: 4_500 },
    bound: '10,000',
    share: '5,500 from one network (an IPv4 address, an IPv6 /48)',
    floor: 'networks take turns: recorded after two batches of 500 and one of each other network',
    refused: '503 with `Retry-After`, which clients of healthchecks.io try again',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
  },
  requests: {
    what: 'requests of the API and the dashboard that wait for a store or an agent',
    bound: `${count(requests.places)} under way; half of them for keyless and free, three quarters for Growth`,
    share: `${requests.placesOfOwner} of one account or one keyless address`,
    floor: 'the row "requests of accounts with almost nothing under way"',
    refused: 'SV-9002 at once, those who pay least first',
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requests,
  },
  requestFloors: {
    what: 'requests of accounts with almost nothing under way, when the places above are taken',
    bound: `${requestFloors.places} under way, ${count(requestFloors.waiting)} waiting`,
    share: `${requestFloors.placesOfOwner} under way of one account, those above counted too`,
    floor: `the next place, round robin over accounts and before those that used more time: with 1,000 accounts waiting, after 5 rounds of ${requestFloors.places} requests; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requestFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  runFloors: {
    what: 'runs by hand and trials of accounts with almost nothing under way, when the places above are taken',
    bound: `${runFloors.places} under way, ${count(runFloors.waiting)} waiting: they last as long as a probe does, so that other requests do not wait for them`,
    share: `${runFloors.placesOfOwner} under way of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: runFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  keylessFloors: {
    what: 'keyless requests of addresses with nothing else under way, when the places above are taken',
    bound: `${keylessFloors.places} under way`,
    share: `${keylessFloors.placesOfOwner} of one address`,
    floor: 'none: addresses cost nothing, so that none can be promised a place',
    refused: 'SV-9002 at once',
    figures: poolFigures('http_requests_overloaded_total'),
    bounds: keylessFloors,
  },
  postgresConnections: {
    what: 'connections to Postgres for what accounts ask',
    bound: `${connections.places} connections, ${count(connections.waiting)} requests waiting; a statement ends after ${seconds(statementMsMax)}. Loops have ${connections.places} of their own, look-ups of keys and sessions ${lookUpConnections}`,
    share: `${connections.placesOfOwner} of one account`,
    floor: `the next connection, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: connections,
    waitMsMax: storeWaitMsMax,
    statementMsMax,
  },
  lookUps: {
    what: 'look-ups of keys, and what private agents ask, on the connections for what precedes an account',
    bound: `${lookUps.places} of the ${lookUpConnections} connections, ${count(lookUps.waiting)} waiting`,
    share: `${lookUps.placesOfOwner} at once of one account, or of one network (an IPv4 address, an IPv6 /64) while the account is not known, ${lookUps.waitingOfOwner} waiting`,
    floor: `the next place, before accounts and networks that used more time of them; at most ${seconds(lookUpWaitMsMax)}`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: lookUps,
    waitMsMax: lookUpWaitMsMax,
  },
  targetQuestions: {
    what: 'questions how often a host is asked, for a check that is saved or run by hand',
    bound: `${targetQuestions.places} at once, ${count(targetQuestions.waiting)} waiting`,
    share: `${targetQuestions.placesOfOwner} of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: targetQuestions,
    waitMsMax: storeWaitMsMax,
  },
  clickhouseQueries: {
    what: 'queries of ClickHouse: readings, series, searches of errors, the ledger',
    bound: `${queries.places} at once, ${count(queries.waiting)} waiting; a query ends after ${seconds(statementMsMax)}`,
    share: `${queries.placesOfOwner} of one account`,
    floor: `the next place, before accounts that used more time of them; at most ${seconds(storeWaitMsMax)}`,
    refused: 'SV-9002',
    figures: poolFigures(),
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
    figures: poolFigures('http_event_streams'),
    bounds: streams,
  },
  eventStreamFloors: {
    what: 'streams of accounts that have almost none, when the places above are taken',
    bound: `${count(streamFloors.places)} of one control plane`,
    share: `${streamFloors.placesOfOwner} of one account, those above counted too`,
    floor: `${streamFloors.placesOfOwner} streams at once, for ${count(streamFloors.places / streamFloors.placesOfOwner)} accounts of each control plane`,
    refused: 'SV-9002',
    figures: poolFigures('http_event_streams'),
    bounds: streamFloors,
  },
  relayStreams: {
    what: 'streams of private agents',
    bound: `${count(relayStreams.places)} of one control plane, one of an agent`,
    share: `${relayStreams.placesOfOwner} of one account`,
    floor: 'the row "streams of private agents of accounts that have none"',
    refused: 'SV-9002: the agent tries again, at any control plane',
    figures: poolFigures(),
    bounds: relayStreams,
  },
  relayStreamFloors: {
    what: 'streams of private agents of accounts that have none, when the places above are taken',
    bound: `${relayFloors.places} of one control plane`,
    share: `${relayFloors.placesOfOwner} of one account`,
    floor: `one stream at once, for ${relayFloors.places} accounts of each control plane`,
    refused: 'SV-9002',
    figures: poolFigures(),
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
