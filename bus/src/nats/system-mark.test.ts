import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach } from '@probe-mesh/infra/testing/use'
import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../logger.ts'
import type { Bus } from '../port.ts'
import { openNatsBus } from './nats-bus.ts'
import { OtherSystem, acceptNatsSystem, readNatsServer, readNatsSystem } from './system-mark.ts'

let buses: Bus[] = []
const server = useEach(() => startTestNats())
afterEach(async () => {
  for (const bus of buses) await bus.close()
  buses = []
})

const options = () => ({ servers: [server.url], name: 'test', log: silentLogger })
const open = async (system: string | null, regions = ['fra']): Promise<void> => {
  buses.push(await openNatsBus({ ...options(), topology: { regions, system } }))
}

test('the server keeps its system id, also when a control plane without an id connects', async () => {
  expect(await readNatsSystem(options())).toBeNull()
  await open(null)
  expect(await readNatsSystem(options())).toBeNull()
  await open('ours')
  await open(null)
  expect(await readNatsSystem(options())).toBe('ours')
  expect(await readNatsServer(options())).toEqual({
    version: expect.stringMatching(/^2\.\d+\.\d+/),
    system: 'ours',
  })
})

test("another system's control plane is refused, and changes nothing until the operator accepts it", async () => {
  await open('ours')
  await expect(open('theirs', ['fra', 'iad'])).rejects.toThrow(OtherSystem)
  expect(await readNatsSystem(options())).toBe('ours')
  await acceptNatsSystem(options(), 'theirs')
  await open('theirs')
})
