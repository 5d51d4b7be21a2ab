import { relayLimits } from './relay.ts'

/** What a request of a private agent is about: readings, the answer to a run, or that it is there. */
export type RelayRequestKind = 'readings' | 'runs' | 'presence'

/**
 * Requests of one token at one control plane. An agent posts a message of up to 100 readings at a time, answers
 * what it was asked, and says every few seconds that it is there.
 */
export const relayRequestBounds = {
  inFlight: relayLimits.requestsInFlight,
  rates: {
    readings: { perSecond: 50, burst: 1_000 },
    runs: { perSecond: 20, burst: 600 },
    presence: { perSecond: 1, burst: 30 },
  },
} as const satisfies {
  inFlight: number
  rates: Record<RelayRequestKind, { perSecond: number; burst: number }>
}
