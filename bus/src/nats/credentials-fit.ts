import type { NatsConnection } from '@nats-io/nats-core'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { BusUnavailable } from '../port.ts'
import { Misfit } from '../refusal.ts'
import type { Holder } from './credentials.ts'
import { agentInboxPrefix, controlPlaneInboxPrefix } from './permissions.ts'

const answerMsMax = 5_000

const give = (region: Region): string =>
  `give it its own (npm run -s admin -- agent enroll --region ${region})`

const ofRegion = (who: string, own: string, region: Region): string =>
  `AGENT_CREDENTIALS are of region ${own}${who}, and REGION is ${region}: ${give(region)}, or set REGION=${own}`

/** Checks the holder in the file against the region. @throws Misfit */
export const refuseOtherHolder = (holder: Holder | null, region: Region): void => {
  if (holder === null || holder.region === null || holder.region === region) return
  throw new Misfit(ofRegion(` (${holder.name})`, holder.region, region))
}

/**
 * Checks with the server that the credentials belong to the region, before any subscription.
 * @throws Misfit that names their holder, as far as it is known
 */
export const requireFit = async (
  nc: NatsConnection,
  region: Region,
  holder: Holder | null,
): Promise<void> => {
  if (await mayHear(nc, agentInboxPrefix(region))) return
  const who = holder === null ? '' : ` (${holder.name})`
  if (await mayHear(nc, controlPlaneInboxPrefix)) {
    throw new Misfit(`AGENT_CREDENTIALS are a control plane's: ${give(region)}`)
  }
  for (const own of regionsIn(holder?.name ?? '')) {
    if (await mayHear(nc, agentInboxPrefix(own))) throw new Misfit(ofRegion(who, own, region))
  }
  throw new Misfit(`AGENT_CREDENTIALS${who} are not of region ${region}: ${give(region)}`)
}

/** Agents are usually named after their region. */
const regionsIn = (name: string): string[] => name.split(/[^a-z]+/).filter((part) => part.length === 3)

const mayHear = async (nc: NatsConnection, inbox: string): Promise<boolean> => {
  let refused = false
  const subscription = nc.subscribe(`${inbox}.fit`, {
    callback: (error) => {
      refused ||= error !== null
    },
  })
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new BusUnavailable('nats does not answer')), answerMsMax)
  try {
    // the server answers in order: a refusal arrives before this ends
    await Promise.race([nc.flush(), late])
    return !refused
  } finally {
    clearTimeout(timer)
    subscription.unsubscribe()
  }
}
