import type { SharedPool } from './shared-pool.ts'

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
