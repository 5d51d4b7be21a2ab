import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { aReading, anAssignment, arrived } from '../contract-suite/fixtures.ts'
import { startMeshNats } from './testing.ts'

/** Private agents have no access to NATS: control planes act for them, and no one else can. */

const region = privateRegion('0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70')
const other = privateRegion('0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f71')
const run = { kind: 'manual', at: 1, number: 1, assignment: anAssignment({ region }) } as const
const message = { partition: 0, region, messageId: 'm', data: Buffer.from('m') }

const mesh = useOnce(() => startMeshNats(['fra']))
const control = useOnce(() => mesh.openControlPlane())
const another = useOnce(() => mesh.openControlPlane())
const fra = useOnce(() => mesh.openAgent('fra'))

test('a control plane serves the runs of a private agent for another control plane', async () => {
  const reading = aReading({ region })
  const serving = await control.runs.serve(region, async () => ({ agent: region, reading }))
  expect(await another.runs.request(region, run, 5_000)).toMatchObject({ agent: region, reading })
  await serving.close()
  expect(await another.runs.request(region, run, 5_000)).toBe('no_agent')
})

test('a control plane publishes readings of a private agent, and gets its marks but not those of others', async () => {
  await control.readings.publish(message)
  const seen: string[] = []
  await control.persisted.watch(region, region, (partition, batch) => seen.push(`${partition}:${batch}`))
  await another.persisted.mark(other, other, 0, 9)
  await another.persisted.mark(region, region, 0, 1)
  await arrived(seen, 1)
  expect(seen).toEqual(['0:1'])
  expect(await another.persisted.get(other, other, 0)).toBe(9)
})

test.each<[string, () => Promise<unknown>]>([
  ['publish its readings', () => fra.readings.publish(message)],
  ['serve its runs', () => fra.runs.serve(region, async () => ({ agent: 'a', error: 'busy' }))],
  ['ask it for runs', () => fra.runs.request(region, run, 60_000)],
  ['hear its marks', () => fra.persisted.watch(region, region, () => undefined)],
])('refuses an agent of a region that tries to %s', async (_, attempt) => {
  await expect(attempt()).rejects.toMatchObject({ name: 'PermissionViolationError' })
})
