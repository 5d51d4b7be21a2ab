/**
 * The world independent of observers: the behaviour of each service in each region, and the faults between
 * our agents and the services. Times are ms since the start of the world.
 */

export const worldRegions = ['iad', 'sjc', 'fra', 'nrt'] as const
export const servicesCount = 40

/** How a service fails. Only `timeout` keeps the client waiting. */
export type Cause = 'answered' | 'timeout' | 'reset' | 'refused' | 'name' | 'tls'
export const causes: readonly Cause[] = ['answered', 'timeout', 'reset', 'refused', 'name', 'tls']
/** Failures in which no answer came: our own network can look the same. */
export const silentCauses: readonly Cause[] = ['timeout', 'reset', 'refused', 'name', 'tls']

/** The outcome of one request. */
export type Meeting = 'good' | 'refusal' | Cause

type Lasting = { fromMs: number; toMs: number }
type OfServices = Lasting & { services: readonly number[]; regions: readonly string[] }

export type Trouble =
  /** Every request fails, or the given share. */
  | (OfServices & { kind: 'outage'; cause: Cause; share: number })
  /** Works for a while and fails for a while. */
  | (OfServices & { kind: 'flapping'; cause: Cause; offMs: number; onMs: number })
  /** Half of the regions see it fail, and a while later the other half. */
  | (OfServices & { kind: 'moving'; cause: Cause; everyMs: number })
  /** The service blocks our probes and works for people. */
  | (OfServices & { kind: 'refusal' })
  /** Our own network drops the requests of a region to these services. */
  | (OfServices & { kind: 'own'; cause: Cause })
  /** The agents of a region measure wrongly or not at all. */
  | (Lasting & {
      kind: 'agents'
      region: string
      how: 'dead' | 'late' | 'stalled' | 'skewed'
      byMs: number
    })
  /** The catalog expects a response that the service never gave. */
  | (OfServices & { kind: 'never' })

export type World = { seed: number; name: string; endsMs: number; troubles: readonly Trouble[] }

export const lasts = ({ fromMs, toMs }: Lasting, atMs: number): boolean => fromMs <= atMs && atMs < toMs

const concerns = (trouble: OfServices, service: number, region: string): boolean =>
  trouble.services.includes(service) && trouble.regions.includes(region)

/** The service as people of a region find it. `sometimes`: some requests fail. */
export type Found = 'works' | 'fails' | 'sometimes' | 'refuses'

/** Whether an intermittent trouble is active in this region at this instant. */
const isOn = (trouble: Trouble, region: string, atMs: number): boolean => {
  switch (trouble.kind) {
    case 'flapping': {
      const inTurn = (atMs - trouble.fromMs) % (trouble.offMs + trouble.onMs)
      return inTurn < trouble.offMs
    }
    case 'moving': {
      const turn = Math.floor((atMs - trouble.fromMs) / trouble.everyMs) % 2
      return trouble.regions.indexOf(region) % 2 === turn
    }
    default:
      return true
  }
}

/** A shorter phase counts as intermittent, not as down and up. */
const steadyMsMin = 300_000

export const isUnsteady = (trouble: Trouble): boolean =>
  (trouble.kind === 'outage' && trouble.share < 1) ||
  (trouble.kind === 'flapping' && Math.min(trouble.offMs, trouble.onMs) < steadyMsMin) ||
  trouble.kind === 'moving'

/** The service as people of a region find it, independent of our own faults. */
export const foundBy = ({ troubles }: World, service: number, region: string, atMs: number): Found => {
  let found: Found = 'works'
  for (const trouble of troubles) {
    if (trouble.kind === 'own' || trouble.kind === 'agents') continue
    if (!lasts(trouble, atMs) || !concerns(trouble, service, region)) continue
    if (trouble.kind === 'refusal') found = found === 'works' ? 'refuses' : found
    else if (isUnsteady(trouble)) found = 'sometimes'
    else if (trouble.kind !== 'never' && isOn(trouble, region, atMs)) return 'fails'
  }
  return found
}

/** The outcome of a request of ours now. @param chance in [0, 1), drawn for this request */
export const meet = (
  { troubles }: World,
  service: number,
  region: string,
  atMs: number,
  chance: number,
): Meeting => {
  let met: Meeting = 'good'
  for (const trouble of troubles) {
    if (trouble.kind === 'agents' || !lasts(trouble, atMs)) continue
    if (!concerns(trouble, service, region)) continue
    switch (trouble.kind) {
      case 'own':
        return trouble.cause
      case 'refusal':
        if (met === 'good') met = 'refusal'
        break
      case 'never':
        met = 'answered'
        break
      case 'outage':
        if (chance < trouble.share) met = trouble.cause
        break
      case 'flapping':
      case 'moving':
        if (isOn(trouble, region, atMs)) met = trouble.cause
        break
      default:
        throw new Error(trouble satisfies never)
    }
  }
  return met
}

/** Whether our own network fails on the way to a service. */
export const isOwn = ({ troubles }: World, service: number, region: string, atMs: number): boolean =>
  troubles.some((one) => one.kind === 'own' && lasts(one, atMs) && concerns(one, service, region))

export type Agents = { dead: boolean; stalled: boolean; lateMs: number; skewMs: number }

/** The state of a region's agents at an instant. */
export const agentsOf = ({ troubles }: World, region: string, atMs: number): Agents => {
  const agents: Agents = { dead: false, stalled: false, lateMs: 0, skewMs: 0 }
  for (const trouble of troubles) {
    if (trouble.kind !== 'agents' || trouble.region !== region || !lasts(trouble, atMs)) continue
    if (trouble.how === 'dead') agents.dead = true
    if (trouble.how === 'stalled') agents.stalled = true
    if (trouble.how === 'late') agents.lateMs = trouble.byMs
    if (trouble.how === 'skewed') agents.skewMs = trouble.byMs
  }
  return agents
}
