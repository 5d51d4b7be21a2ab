import { setTimeout as elapse } from 'node:timers/promises'
import type { AgentOutage } from '../../testing/outage.ts'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'
import type { Fault } from './fault.ts'

/** A fault with its start and end, Unix ms. */
export type Inflicted = Fault & { fromMs: number; toMs: number }

/** Causes a fault and ends it. @throws Error if a part does not recover */
export const inflict = async (mesh: Processes, fault: Fault): Promise<Inflicted> => {
  const span = await spanOf(mesh, fault)
  return { ...fault, ...span }
}

type Span = { fromMs: number; toMs: number }

const spanOf = (mesh: Processes, { kind, on, forMs }: Fault): Promise<Span> => {
  switch (kind) {
    case 'agent killed':
      return dies(named(mesh.agents, on), forMs)
    case 'agent frozen':
      return freeze(named(mesh.agents, on), forMs)
    case 'control plane killed':
      return dies(named(mesh.controlPlanes, on), forMs)
    case 'control plane frozen':
      return freeze(named(mesh.controlPlanes, on), forMs)
    case 'NATS killed':
      return dies(mesh.nats, forMs)
    case 'NATS frozen':
      return freeze(mesh.nats, forMs)
    case 'ClickHouse killed':
      return dies(mesh.clickhouse, forMs)
    case 'ClickHouse frozen':
      return freeze(mesh.clickhouse, forMs)
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

const freeze = async (part: Part, forMs: number): Promise<Span> => {
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
    if (kind !== 'agent killed' && kind !== 'agent frozen') return []
    const { region } = named(mesh.agents, on)
    return [{ agent: on, region, fromMs, toMs }]
  })
