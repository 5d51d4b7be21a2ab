import { setTimeout as elapse } from 'node:timers/promises'
import type { AgentOutage } from '../../testing/outage.ts'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'
import type { Fault } from './fault.ts'

/** A fault that was made to happen: from when it began until it was healed, Unix ms. */
export type Inflicted = Fault & { fromMs: number; toMs: number }

/** Makes a fault happen and heals it. @throws Error where a part does not come back */
export const inflict = async (mesh: Processes, fault: Fault): Promise<Inflicted> => {
  const span = await spanOf(mesh, fault)
  return { ...fault, ...span }
}

type Span = { fromMs: number; toMs: number }

const spanOf = (mesh: Processes, { kind, on, forMs }: Fault): Promise<Span> => {
  switch (kind) {
    case 'agent killed':
      return dies(named(mesh.agents, on), forMs)
    case 'agent stands still':
      return standsStill(named(mesh.agents, on), forMs)
    case 'control plane killed':
      return dies(named(mesh.controlPlanes, on), forMs)
    case 'control plane stands still':
      return standsStill(named(mesh.controlPlanes, on), forMs)
    case 'NATS killed':
      return dies(mesh.nats, forMs)
    case 'NATS stands still':
      return standsStill(mesh.nats, forMs)
    case 'ClickHouse killed':
      return dies(mesh.clickhouse, forMs)
    case 'ClickHouse stands still':
      return standsStill(mesh.clickhouse, forMs)
    case 'Postgres killed':
      return dies(mesh.postgres, forMs)
    case 'Postgres restarted':
      return restarts(mesh.postgres)
    case 'region cut off':
    case 'region refused':
      return loses(mesh, on, kind === 'region cut off' ? 'blackhole' : 'refuse', forMs)
    default:
      return kind satisfies never
  }
}

const dies = async (part: Part, forMs: number): Promise<Span> => {
  const fromMs = await part.kill()
  await elapse(forMs)
  return { fromMs, toMs: await part.start() }
}

const standsStill = async (part: Part, forMs: number): Promise<Span> => {
  const fromMs = Date.now()
  part.pause()
  await elapse(forMs)
  part.resume()
  return { fromMs, toMs: Date.now() }
}

const restarts = async (part: Part): Promise<Span> => {
  const fromMs = Date.now()
  await part.stop()
  return { fromMs, toMs: await part.start() }
}

const loses = async (
  mesh: Processes,
  region: string,
  how: 'blackhole' | 'refuse',
  forMs: number,
): Promise<Span> => {
  const way = mesh.natsProxies.get(region)
  if (way === undefined) throw new Error(`${region} has no link that can be cut`)
  const fromMs = Date.now()
  way[how]()
  await elapse(forMs)
  way.pass()
  return { fromMs, toMs: Date.now() }
}

const named = <P extends Part>(parts: readonly P[], name: string): P => {
  const part = parts.find((one) => one.name === name)
  if (part === undefined) throw new Error(`there is no part named ${name}`)
  return part
}

/** Outages of agents, which explain missed slots. */
export const agentOutages = (
  mesh: Pick<Processes, 'agents'>,
  inflicted: readonly Inflicted[],
): AgentOutage[] =>
  inflicted.flatMap(({ kind, on, fromMs, toMs }) => {
    if (kind !== 'agent killed' && kind !== 'agent stands still') return []
    const { region } = named(mesh.agents, on)
    return [{ agent: on, region, fromMs, toMs }]
  })
