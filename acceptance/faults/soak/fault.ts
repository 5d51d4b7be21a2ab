import type { Region } from '@probe-mesh/contracts/reading/regions'

/** The faults of a soak. */
export const faultKinds = [
  'agent killed',
  'agent frozen',
  'control plane killed',
  'control plane frozen',
  'NATS killed',
  'NATS frozen',
  'ClickHouse killed',
  'ClickHouse frozen',
  'Postgres killed',
  'Postgres restarted',
  'region cut off',
  'region refused',
] as const
type FaultKind = (typeof faultKinds)[number]

/** One fault: the name of its part, and its duration, ms. */
export type Fault = { kind: FaultKind; on: string; forMs: number }

/** The names of parts that get faults. Parts that are not mortal get every fault except kills. */
export type Exposed = {
  agents: readonly string[]
  /** The agents that may be killed. */
  mortalAgents: readonly string[]
  controlPlanes: readonly string[]
  mortalControlPlanes: readonly string[]
  regions: readonly Region[]
}

/** The duration of a fault: long enough for another part to take over. */
const outageMs = { min: 1_000, max: 18_000 }

/**
 * Creates random faults: each kind equally often, in random order, on random parts and for random times.
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
    const forMs = Math.round(outageMs.min + random() * (outageMs.max - outageMs.min))
    return { kind, on: pick(exposedTo(kind, exposed)), forMs }
  }
}

const exposedTo = (kind: FaultKind, exposed: Exposed): readonly string[] => {
  switch (kind) {
    case 'agent killed':
      return exposed.mortalAgents
    case 'agent frozen':
      return exposed.agents
    case 'control plane killed':
      return exposed.mortalControlPlanes
    case 'control plane frozen':
      return exposed.controlPlanes
    case 'region cut off':
    case 'region refused':
      return exposed.regions
    case 'NATS killed':
    case 'NATS frozen':
      return ['NATS']
    case 'ClickHouse killed':
    case 'ClickHouse frozen':
      return ['ClickHouse']
    case 'Postgres killed':
    case 'Postgres restarted':
      return ['Postgres']
    default:
      return kind satisfies never
  }
}
