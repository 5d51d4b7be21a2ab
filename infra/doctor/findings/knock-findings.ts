import type { BusFacts } from '@probe-mesh/bus/nats/inspect'
import { shownAge, warning } from '../finding.ts'
import type { Finding, Gathered } from '../finding.ts'
import type { KnockFacts } from '../gather/knocks.ts'
import { isGood } from '../../nats/register.ts'

/** One that came again within this time comes still, ms: an agent's tries become as rare as two minutes. */
const recentMs = 600_000

/** Agents that NATS does not let in and that come again. Pure. @param gathered null or null facts: nobody could ask */
export const knockFindings = (
  gathered: Gathered<KnockFacts | null> | null,
  regions: BusFacts['regions'],
  nowMs: number,
): Finding[] => {
  if (gathered === null || !gathered.ok || gathered.facts === null) return []
  const { knocks, agents } = gathered.facts
  const announced = new Set(regions.flatMap((one) => (one.agents ?? []).map(({ agent }) => agent)))
  return knocks
    .filter(({ name, lastAtMs }) => nowMs - lastAtMs <= recentMs && !announced.has(name))
    .map(({ name, times, lastAtMs }) => {
      const known = agents.findLast((agent) => agent.name === name)
      const why =
        known === undefined
          ? 'nobody of that name was enrolled'
          : known.revokedAt !== null
            ? `its credentials were revoked ${shownAge(nowMs - Date.parse(known.revokedAt))} ago`
            : isGood(known, nowMs)
              ? 'it has others than those that it was enrolled with'
              : 'its credentials have expired'
      const enroll = `npm run -s admin -- agent enroll --region ${known?.region ?? '<region>'} --name ${name} --out <its file>`
      return warning(
        'credentials',
        `${name} knocks and is not let in (${times} times, the last ${shownAge(nowMs - lastAtMs)} ago): ${why}.`,
        `Stop that agent, or give it new credentials: ${enroll}`,
      )
    })
}
