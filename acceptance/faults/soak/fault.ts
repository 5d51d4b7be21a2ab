import type { Region } from '@probe-mesh/contracts/reading/regions'

/** What may happen to a mesh in a soak. */
export const faultKinds = [
  'agent killed',
  'agent stands still',
  'control plane killed',
  'control plane stands still',
  'NATS killed',
  'NATS stands still',
  'ClickHouse killed',
  'ClickHouse stands still',
  'Postgres killed',
  'Postgres restarted',
  'region cut off',
  'region refused',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** One fault: of which part, named, and for how long the part is away, ms. */
export type Fault = { kind: FaultKind; on: string; forMs: number }

/** Names of what faults may happen to. What is never killed lives through everything else. */
export type Exposed = {
  agents: readonly string[]
  /** Of the agents, those that may be killed. */
  mortalAgents: readonly string[]
  controlPlanes: readonly string[]
  mortalControlPlanes: readonly string[]
  regions: readonly Region[]
}

/** How long a part is away: long enough for another to take over what it does. */
const awayMs = { min: 1_000, max: 18_000 }

/**
 * Faults from chance: each kind as often as the others, in an order, on parts and for times left to it.
 * @param random numbers in [0, 1)
 */
export const createFaults = (random: () => number, exposed: Exposed): (() => Fault) => {
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[Math.floor(random() * choices.length)]
    if (choice === undefined) throw new Error('the list is empty')
    return choice
  }
  let deck: FaultKind[] = []
  return () => {
    if (deck.length === 0) deck = [...faultKinds]
    const kind = pick(deck)
    deck = deck.filter((one) => one !== kind)
    const forMs = Math.round(awayMs.min + random() * (awayMs.max - awayMs.min))
    return { kind, on: pick(exposedTo(kind, exposed)), forMs }
  }
}

const exposedTo = (kind: FaultKind, exposed: Exposed): readonly string[] => {
  switch (kind) {
    case 'agent killed':
      return exposed.mortalAgents
    case 'agent stands still':
      return exposed.agents
    case 'control plane killed':
      return exposed.mortalControlPlanes
    case 'control plane stands still':
      return exposed.controlPlanes
    case 'region cut off':
    case 'region refused':
      return exposed.regions
    case 'NATS killed':
    case 'NATS stands still':
      return ['NATS']
    case 'ClickHouse killed':
    case 'ClickHouse stands still':
      return ['ClickHouse']
    case 'Postgres killed':
    case 'Postgres restarted':
      return ['Postgres']
    default:
      return kind satisfies never
  }
}
