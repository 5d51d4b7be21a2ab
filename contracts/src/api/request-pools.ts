import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { rateLimits } from '../account/rate-limits.ts'
import { inFigures as count } from '../schema/in-figures.ts'
import {
  inSeconds as seconds,
  poolFigures,
  slowestNeighbours,
  type SharedPool,
} from '../schema/shared-pool.ts'

/** Tool calls at a gateway. */
export const gatewayPools = {
  gatewayCalls: {
    what: 'Calls of the MCP gateway to the control plane',
    bounds: { places: 64, placesOfOwner: 48, waiting: 1_024, waitingOfOwner: 256 },
    bound: '64 in flight, 1,024 waiting for at most 12 s',
    share: '48 and 256 for one key, or for one network while the key is unknown',
    floor: 'keys and networks take turns: a first call waits for one call of each other',
    refused: 'SV-9002',
    figures: ['mcp_upstream_waiting', 'mcp_upstream_refused_total'],
  },
} as const satisfies Record<string, SharedPool>

const requests = { places: 1_000, placesOfOwner: 250, waiting: 0, waitingOfOwner: 0 }
const requestFloors = { places: 200, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 2 }
const runFloors = { places: 100, placesOfOwner: 1, waiting: 2_000, waitingOfOwner: 1 }
const requestFloorWaitMsMax = 5_000
const requestTurns = { places: 2, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 250 }
/** A turn ends after this time, whatever the request waits for. */
export const requestTurnMsMax = 50
const keylessFloors = { places: 50, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }
/** Connections for work before an account is known: look-ups of keys and sessions, budgets, public pages. */
export const lookUpConnections = 8
const connections = { places: 12, placesOfOwner: 6, waiting: 4_000, waitingOfOwner: 500 }
const targetQuestions = { places: 4, placesOfOwner: 2, waiting: 2_000, waitingOfOwner: 100 }
const replays = { places: 2, placesOfOwner: 1, waiting: 2_000, waitingOfOwner: 1 }
/** Longer than two of the longest replays. */
const replayWaitMsMax = 30_000
const queries = { places: 5, placesOfOwner: 3, waiting: 2_000, waitingOfOwner: 100 }
/** Timeout of a statement or query of an account. */
const statementMsMax = 10_000
const storeWaitMsMax = 8_000
/** A replay ends after this time with what it has. */
const replayMsMax = 20_000
const slow = { workMsMax: statementMsMax, waitMsMax: storeWaitMsMax }
/** The accounts next to which the slowest statements of all leave room in time. */
const inTime = (bounds: PoolBounds): string =>
  `in time next to ${slowestNeighbours({ bounds, ...slow })} other account with the slowest`
const lookUps = { places: 6, placesOfOwner: 3, waiting: 4_000, waitingOfOwner: 500 }
const lookUpWaitMsMax = 4_000
const streams = { places: 5_000, placesOfOwner: 50, waiting: 0, waitingOfOwner: 0 }
const streamFloors = { places: 1_000, placesOfOwner: 2, waiting: 0, waitingOfOwner: 0 }
const relayStreams = { places: 2_000, placesOfOwner: 200, waiting: 0, waitingOfOwner: 0 }
const relayFloors = { places: 500, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 }

/** Active keys of one account. */
export const openKeysMax = 50
/** All keys of an account together have the budget of this many keys. */
export const keysPerAccountBudget = 10
/** A request is answered within this time, or refused; runs have longer. */
export const answerMsMax = 10_000
/** For imports and replays, which wait for a thread. */
export const slowAnswerMsMax = 60_000
/** Requests per minute of all sessions of one user, enough for several open pages. */
export const userRequestsPerMinute = { reads: 600, writes: 60 } as const

/** The floor of works that wait for a place. */
const nextPlace = (waitMs: number, more = ''): string =>
  `the next place, before accounts that used more time; at most ${seconds(waitMs)}${more}`

type RequestBounds = {
  bounds: PoolBounds
  waitMsMax: number
  workMsMax: number
}

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {
  pings: {
    what: 'Heartbeat pings that wait for storage',
    bounds: { places: 1_000, placesOfOwner: 1_000, waiting: 9_000, waitingOfOwner: 4_500 },
    bound: '10,000',
    share: '5,500 from one network (an IPv4 address, an IPv6 /48)',
    floor: 'networks take turns: stored after two batches of 500 and one of each other network',
    refused: '503 with `Retry-After`, which clients of healthchecks.io retry',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
  },
  requests: {
    what: 'requests of the API and the dashboard that wait for a store or an agent',
    bound: `${count(requests.places)} in flight; keyless and Free may use half of them, Growth three quarters`,
    share: `${requests.placesOfOwner} of one account or one keyless address`,
    floor: 'the row "requests of accounts with almost nothing in flight"',
    refused: 'SV-9002 at once, the cheapest plans first',
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requests,
  },
  requestFloors: {
    what: 'requests of accounts with almost nothing in flight, when the places above are full',
    bound: `${requestFloors.places} in flight, ${count(requestFloors.waiting)} waiting`,
    share: `${requestFloors.placesOfOwner} in flight of one account, including those above`,
    floor: `the next place, round robin over accounts and before those that used more time: with 1,000 accounts waiting, after 5 rounds of ${requestFloors.places} requests; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: requestFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  runFloors: {
    what: 'manual runs and trials of accounts with almost nothing in flight, when the places above are full',
    bound: `${runFloors.places} in flight, ${count(runFloors.waiting)} waiting; separate, since they last as long as a probe`,
    share: `${runFloors.placesOfOwner} in flight of one account`,
    floor: nextPlace(requestFloorWaitMsMax),
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: poolFigures('http_requests_under_way', 'http_requests_overloaded_total'),
    bounds: runFloors,
    waitMsMax: requestFloorWaitMsMax,
  },
  keylessFloors: {
    what: 'keyless requests of addresses with nothing else in flight, when the places above are full',
    bound: `${keylessFloors.places} in flight`,
    share: `${keylessFloors.placesOfOwner} of one address`,
    floor: 'none: addresses cost nothing, so no place can be guaranteed',
    refused: 'SV-9002 at once',
    figures: poolFigures('http_requests_overloaded_total'),
    bounds: keylessFloors,
  },
  requestTurns: {
    what: 'turns of requests, while the loop of the control plane has work for more than half of the time',
    bound: `${requestTurns.places} turns at once, of at most ${requestTurnMsMax} ms; ${count(requestTurns.waiting)} waiting`,
    share: `the places of the rows "requests"; ${requestTurns.waitingOfOwner} waiting`,
    floor: `the next turn, before accounts that used more time; at most ${seconds(requestFloorWaitMsMax)}`,
    refused: `SV-9002 after ${seconds(requestFloorWaitMsMax)}`,
    figures: poolFigures(),
    bounds: requestTurns,
    waitMsMax: requestFloorWaitMsMax,
  },
  postgresConnections: {
    what: 'connections to Postgres for requests of accounts',
    bound: `${connections.places} connections, ${count(connections.waiting)} requests waiting; a statement times out after ${seconds(statementMsMax)}. Loops have ${connections.places} connections of their own, look-ups of keys and sessions ${lookUpConnections}`,
    share: `${connections.placesOfOwner} of one account`,
    floor: `the next connection, before accounts that used more connection time; at most ${seconds(storeWaitMsMax)}, ${inTime(connections)} statements`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: connections,
    ...slow,
  },
  lookUps: {
    what: 'look-ups of keys and requests of private agents, on the connections for unknown accounts',
    bound: `${lookUps.places} of the ${lookUpConnections} connections, ${count(lookUps.waiting)} waiting`,
    share: `${lookUps.placesOfOwner} at once of one account, or of one network (an IPv4 address, an IPv6 /64) while the account is unknown, ${lookUps.waitingOfOwner} waiting`,
    floor: `the next place, before accounts and networks that used more time; at most ${seconds(lookUpWaitMsMax)}`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: lookUps,
    waitMsMax: lookUpWaitMsMax,
  },
  targetQuestions: {
    what: 'queries for the request rate of a host, when a check is saved or run manually',
    bound: `${targetQuestions.places} at once, ${count(targetQuestions.waiting)} waiting`,
    share: `${targetQuestions.placesOfOwner} of one account`,
    floor: nextPlace(storeWaitMsMax),
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: targetQuestions,
    waitMsMax: storeWaitMsMax,
  },
  clickhouseQueries: {
    what: 'queries of ClickHouse: readings, series, error searches, the ledger',
    bound: `${queries.places} at once, ${count(queries.waiting)} waiting; a query times out after ${seconds(statementMsMax)}`,
    share: `${queries.placesOfOwner} of one account`,
    floor: nextPlace(storeWaitMsMax, `, ${inTime(queries)} queries`),
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: queries,
    ...slow,
  },
  replays: {
    what: 'replays of a status rule over stored readings',
    bound: `${replays.places} at once, each in a thread, ${count(replays.waiting)} waiting; ${seconds(replayMsMax)} and 400,000 readings each`,
    share: `${replays.placesOfOwner} of one account`,
    floor: nextPlace(replayWaitMsMax),
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: replays,
    workMsMax: replayMsMax,
    waitMsMax: replayWaitMsMax,
  },
  eventStreams: {
    what: 'streams of live events',
    bound: `${count(streams.places)} of one control plane`,
    share: `5 of one key or session, ${streams.placesOfOwner} of one account`,
    floor: 'the row "streams of accounts with almost none"',
    refused: 'SV-6001 above the share, SV-9002 above the bound',
    figures: poolFigures('http_event_streams'),
    bounds: streams,
  },
  eventStreamFloors: {
    what: 'streams of accounts with almost none, when the places above are full',
    bound: `${count(streamFloors.places)} of one control plane`,
    share: `${streamFloors.placesOfOwner} of one account, including those above`,
    floor: `${streamFloors.placesOfOwner} streams at once, for ${count(streamFloors.places / streamFloors.placesOfOwner)} accounts of each control plane`,
    refused: 'SV-9002',
    figures: poolFigures('http_event_streams'),
    bounds: streamFloors,
  },
  relayStreams: {
    what: 'streams of private agents',
    bound: `${count(relayStreams.places)} of one control plane, one of an agent`,
    share: `${relayStreams.placesOfOwner} of one account`,
    floor: 'the row "streams of private agents of accounts without one"',
    refused: 'SV-9002: the agent retries, at any control plane',
    figures: poolFigures(),
    bounds: relayStreams,
  },
  relayStreamFloors: {
    what: 'streams of private agents of accounts without one, when the places above are full',
    bound: `${relayFloors.places} of one control plane`,
    share: `${relayFloors.placesOfOwner} of one account`,
    floor: `one stream at once, for ${relayFloors.places} accounts of each control plane`,
    refused: 'SV-9002',
    figures: poolFigures(),
    bounds: relayFloors,
  },
  accountRequests: {
    what: 'reads and writes per minute of all keys of one account',
    bound: `${openKeysMax} keys of one account`,
    share: `the budget of ${keysPerAccountBudget} keys: ${count(keysPerAccountBudget * rateLimits.readsPerMinute)} reads and ${keysPerAccountBudget * rateLimits.writesPerMinute} writes, over all control planes`,
    floor: "an account's own: no other account counts",
    refused: 'SV-6001 and SV-6002, which name the account; SV-3002 for too many keys',
    figures: ['budget_trips_total', 'budget_keys'],
  },
  userRequests: {
    what: 'reads and writes per minute of all sessions of one user',
    bound: 'no total limit: the places above bound the requests in flight',
    share: `${userRequestsPerMinute.reads} reads and ${userRequestsPerMinute.writes} writes at one control plane, over all logins of the user`,
    floor: "a user's own: no other user counts",
    refused: 'SV-6001 and SV-6002',
    figures: [],
  },
} as const satisfies Record<string, SharedPool & Partial<RequestBounds>>
