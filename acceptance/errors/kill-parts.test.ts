import { setTimeout as elapse } from 'node:timers/promises'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, inject, test } from 'vitest'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import { conserveTiers, expectConserved } from './conserve.ts'

const kills = inject('kills')
/** Random time between two kills, so that they hit any step. */
const uptimeMs = { min: 200, max: 1_500 }
const downtimeMs = { min: 100, max: 2_000 }

const mesh = useOnce(() =>
  startProcesses({
    regions: ['fra'],
    agentsPerRegion: 0,
    tiers: conserveTiers,
    budgetScale: 1,
  }),
)

const between = ({ min, max }: { min: number; max: number }): number => min + Math.random() * (max - min)

/** The parts of each kill: all kinds equally often, in random order. */
const killPlan = (): (readonly Part[])[] => {
  const [one, other] = mesh.controlPlanes
  if (one === undefined || other === undefined) throw new Error('this test needs two control planes')
  const kinds = [
    [one],
    [other],
    [one, other],
    [mesh.nats],
    [mesh.postgres],
    [mesh.clickhouse],
    [mesh.nats, mesh.clickhouse],
  ]
  return Array.from({ length: kills }, (_, round) => kinds[round % kinds.length] ?? [])
    .map((parts) => ({ parts, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ parts }) => parts)
}

test(
  `every answered event is stored or counted once while parts are killed ${kills} times under load`,
  { timeout: 1_800_000 },
  async () => {
    const killed: string[] = []
    const disrupt = async (): Promise<void> => {
      for (const parts of killPlan()) {
        await elapse(between(uptimeMs))
        await Promise.all(parts.map((part) => part.kill()))
        await elapse(between(downtimeMs))
        await Promise.all(parts.map((part) => part.start()))
        killed.push(parts.map(({ name }) => name).join(' with '))
      }
    }
    await expectConserved(
      {
        origin: new URL(mesh.apiUrl).origin,
        roots: mesh.controlPlanes.map(({ url }) => url),
        metricsToken: async () => null,
        stores: () => Promise.resolve({ databaseUrl: mesh.databaseUrl, clickhouseUrl: mesh.clickhouseUrl }),
      },
      { disrupt, what: `two control planes on NATS, parts killed ${kills} times` },
    )
    console.info(`killed: ${killed.join(', ')}`)
    expect(await Promise.all(mesh.controlPlanes.map((part) => part.stop()))).toEqual([0, 0])
  },
)
