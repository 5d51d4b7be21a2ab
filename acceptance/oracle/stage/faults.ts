import { setTimeout as elapse } from 'node:timers/promises'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'
import type { Fault } from '../judging/facts.ts'
import { between, seeded, shuffled } from '../judging/random.ts'
import type { World } from '../outside/start-world.ts'

/** A planned fault. Its duration is in seconds of a run of twelve minutes. */
type Planned = {
  what: string
  region: string | null
  seconds: number
  begin(): Promise<unknown>
  heal(): Promise<unknown>
}

const wholeMs = 12 * 60_000

/** The twelve faults in order. The seed selects regions, agents and times. */
const plan = (mesh: Processes, world: World, seed: number): Planned[] => {
  const random = seeded(seed)
  const [first = '', second = '', third = ''] = shuffled(random, [...mesh.natsProxies.keys()])
  const agentsOf = (region: string): Part[] =>
    shuffled(
      random,
      mesh.agents.filter((agent) => agent.region === region),
    )
  const [killed] = agentsOf(first)
  const [stopped] = agentsOf(second)
  const [one, other] = shuffled(random, mesh.controlPlanes)
  const way = mesh.natsProxies.get(third)
  if (!killed || !stopped || !one || !other || !way) throw new Error('the mesh is too small')
  const kill = (parts: readonly Part[], region: string | null, seconds: number): Planned => ({
    what: `kill -9 ${parts.map(({ name }) => name).join(' and ')}`,
    region,
    seconds,
    begin: () => Promise.all(parts.map((part) => part.kill())),
    heal: () => Promise.all(parts.map((part) => part.start())),
  })
  const stop = (part: Part, region: string | null, seconds: number): Planned => ({
    what: `SIGSTOP ${part.name}`,
    region,
    seconds,
    begin: async () => part.pause(),
    heal: async () => part.resume(),
  })
  return [
    kill([killed], first, 15),
    stop(stopped, second, 20),
    kill([one], null, 15),
    stop(other, null, 25),
    kill([mesh.nats], null, 15),
    kill([mesh.clickhouse], null, 20),
    kill([mesh.postgres], null, 15),
    {
      what: `the network of ${third} drops everything`,
      region: null,
      seconds: 45,
      begin: async () => way.blackhole(),
      heal: async () => way.pass(),
    },
    kill([one, other], null, 20),
    stop(mesh.nats, null, 15),
    kill(agentsOf(third), third, 30),
    {
      what: 'the receiver answers 503, then drops connections',
      region: null,
      seconds: 40,
      begin: () => world.receive('503'),
      heal: () => world.receive('ok'),
    },
  ]
}

/** The share of the last fault after which the receiver drops connections instead. */
const refusingShare = 25 / 40

/** Causes one fault after another until `spanMs` are over. @returns the faults */
export const inflictAll = async (
  mesh: Processes,
  world: World,
  how: { seed: number; beganAt: number; spanMs: number; log: (line: string) => void },
): Promise<Fault[]> => {
  const faults: Fault[] = []
  const planned = plan(mesh, world, how.seed)
  const random = seeded(how.seed + 1)
  const eachMs = how.spanMs / (planned.length + 1)
  for (const [at, { what, region, seconds, begin, heal }] of planned.entries()) {
    const beginsAt = how.beganAt + (at + between(random, 0.25, 0.45)) * eachMs
    await elapse(Math.max(0, beginsAt - Date.now()))
    const forMs = (seconds * 1_000 * how.spanMs) / wholeMs
    const fromMs = Date.now()
    how.log(`${Math.round((fromMs - how.beganAt) / 1_000)} s: ${what} for ${Math.round(forMs / 1_000)} s`)
    await begin()
    if (at === planned.length - 1) {
      await elapse(forMs * refusingShare)
      await world.receive('drop')
      await elapse(forMs * (1 - refusingShare))
    } else await elapse(forMs)
    await heal()
    faults.push({ what, region, fromMs, toMs: Date.now() })
  }
  await elapse(Math.max(0, how.beganAt + how.spanMs - Date.now()))
  return faults
}
