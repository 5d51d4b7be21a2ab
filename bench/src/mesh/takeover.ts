import { setTimeout as wait } from 'node:timers/promises'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { readHolders } from '@probe-mesh/acceptance/testing/holders'
import { roundsOf } from '../harness/turns.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { shared, type MeshControlPlane } from './control-plane.ts'
import type { Announced, PacedMesh } from './paced-mesh.ts'
import { until } from '../harness/until.ts'

const pollMs = 25
/** Between the moment at which both share the partitions again and the next fault. */
const settleMs = 2_000

/** From a fault to each step, for the slowest partition, ms. */
type Takeover = {
  /** Another control plane has the lease. */
  taken: number
  /** A reading measured after the fault is stored. */
  stored: number
  /** A reading measured after the fault is judged. */
  judged: number
}

/** How long the partitions of a control plane stay without an owner after it is killed or stops responding. */
export const measureTakeover = async (context: BenchContext, mesh: PacedMesh): Promise<void> => {
  const { quick, log } = context
  const { controlPlanes } = mesh
  await controlPlanes[1].start()
  const faults = [
    {
      name: 'killed',
      strike: (victim: MeshControlPlane) => void victim.kill(),
      heal: (victim: MeshControlPlane) => victim.start(),
    },
    {
      name: 'silent',
      strike: (victim: MeshControlPlane) => victim.pause(),
      heal: async (victim: MeshControlPlane) => victim.resume(),
    },
  ]
  for (const { name, strike, heal } of faults) {
    const takeovers: Takeover[] = []
    for (let n = 0; n < roundsOf(quick); n++) {
      await shared(controlPlanes)
      await wait(settleMs)
      log(`takeover, round ${n + 1}: one of two control planes is ${name}`)
      const victim = controlPlanes[n % 2] ?? controlPlanes[0]
      takeovers.push(await measureRound(mesh, victim, strike))
      await heal(victim)
    }
    report(context, name, takeovers)
  }
}

const measureRound = async (
  { sql, announced }: PacedMesh,
  victim: MeshControlPlane,
  strike: (victim: MeshControlPlane) => void,
): Promise<Takeover> => {
  const lost = await partitionsOf(victim)
  const before = new Map((await readHolders(sql)).map((one) => [one.partition, one.epoch]))
  announced.clear()
  const faultAt = Date.now()
  strike(victim)
  await until(
    'the partitions are taken over',
    async () =>
      (await readHolders(sql)).every(
        ({ partition, epoch, holder }) =>
          !lost.includes(partition) || (holder !== null && epoch !== before.get(partition)),
      ),
    pollMs,
  )
  const taken = Date.now() - faultAt
  /** From the fault until every lost partition has a reading from after it, ms. */
  const untilEach = async (what: string, seen: () => Announced['readings']): Promise<number> => {
    const firstOf = (partition: number) =>
      seen().find((one) => one.partition === partition && one.measuredAt > faultAt)?.announcedAt
    await until(what, () => lost.every((partition) => firstOf(partition) !== undefined), pollMs)
    return Math.max(...lost.map((partition) => firstOf(partition) ?? 0)) - faultAt
  }
  const [stored, judged] = await Promise.all([
    untilEach('readings are stored again', () => announced.readings),
    untilEach('readings are judged again', () => announced.judged),
  ])
  return { taken, stored, judged }
}

const partitionsOf = async (controlPlane: MeshControlPlane): Promise<number[]> => {
  const epochs = await Promise.all(
    partitions.map((partition) => controlPlane.metric('lease_epoch', { partition: String(partition) })),
  )
  return partitions.filter((partition) => (epochs[partition] ?? 0) > 0)
}

const report = ({ report }: BenchContext, name: string, takeovers: readonly Takeover[]): void => {
  for (const step of ['taken', 'stored', 'judged'] as const) {
    const runs = takeovers.map((takeover) => takeover[step])
    const figure = `mesh_${name}_until_${step}`
    report({ figure, runs, unit: 'ms' })
    report({
      figure: `${figure}_max`,
      value: Math.max(...runs),
      unit: 'ms',
      runs,
      aim: { atMost: 10_000 },
    })
  }
}
