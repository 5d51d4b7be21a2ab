import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { Tier } from '@probe-mesh/contracts/tiers'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** Who asks, as overload tells them apart. */
export type Asking = 'keyless' | Tier

/** Requests that wait for something, of all who ask: 12 connections to Postgres serve no more well. */
export const requestsUnderWayMaxDefault = 1_000

/** Of all places, how many may be taken when one of these still gets one. */
const shares: Readonly<Record<Asking, number>> = { keyless: 0.5, free: 0.5, growth: 0.75, scale: 1 }

/** Within this time most of what is under way has been answered. */
const retryAfterSeconds = 2

/**
 * A bound on the work that is under way: beyond it a request is refused at once instead of waiting
 * with the others, those who pay least first. What is answered from memory takes no place.
 */
export type Admission = {
  /** @returns the work's answer, or SV-9002 where there is no place for who asks */
  admit<T>(asking: Asking, work: () => Promise<T>): Promise<T> | Refusal
  readonly underWay: number
}

export const createAdmission = ({
  registry,
  max = requestsUnderWayMaxDefault,
}: {
  registry: Registry
  max?: number | undefined
}): Admission => {
  let underWay = 0
  const gauge: Gauge = new Gauge({
    name: 'http_requests_under_way',
    help: 'Requests that wait for a store or an agent',
    registers: [registry],
    collect: () => gauge.set(underWay),
  })
  const refused = new Counter({
    name: 'http_requests_overloaded_total',
    help: 'Requests refused because too many were under way, by tier; keyless ones have none',
    labelNames: ['tier'] as const,
    registers: [registry],
  })
  for (const tier of Object.keys(shares)) refused.inc({ tier }, 0)

  return {
    admit: (asking, work) => {
      if (underWay >= max * shares[asking]) {
        refused.inc({ tier: asking })
        return refuse('SV-9002', {
          message: 'This server has too much to do at the moment. Try again shortly.',
          retryAfterSeconds,
        })
      }
      underWay += 1
      // a work's own end counts: who waited for its answer may have gone
      return work().finally(() => {
        underWay -= 1
      })
    },
    get underWay() {
      return underWay
    },
  }
}
