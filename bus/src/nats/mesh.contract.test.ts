import type { Region } from '@probe-mesh/contracts/reading/regions'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { assignmentsContract } from '../contract-suite/assignments.ts'
import type { BusTest } from '../contract-suite/bus-test.ts'
import { patience } from '../contract-suite/fixtures.ts'
import { messagingContract } from '../contract-suite/messaging.ts'
import type { Bus } from '../port.ts'
import { startMeshNats, type MeshNats } from './testing.ts'

const regions = ['fra', 'iad', 'nrt'] as const

/** Each operation with the credentials of its real user: agents by region, and the control plane. */
const openMesh = async (mesh: MeshNats): Promise<Bus> => {
  const control = await mesh.openControlPlane()
  const agents = new Map<Region, Bus>()
  for (const region of regions) agents.set(region, await mesh.openAgent(region))
  const agentOf = (region: Region): Bus => {
    const agent = agents.get(region)
    if (agent === undefined) throw new Error(`no agent of ${region}`)
    return agent
  }
  return {
    assignments: {
      ...control.assignments,
      watch: (region, handler) => agentOf(region).assignments.watch(region, handler),
    },
    readings: {
      ...control.readings,
      publish: (message) => agentOf(message.region).readings.publish(message),
    },
    errors: control.errors,
    persisted: {
      ...control.persisted,
      watch: (region, agent, onMark) => agentOf(region).persisted.watch(region, agent, onMark),
    },
    runs: {
      ...control.runs,
      serve: (region, handler) => agentOf(region).runs.serve(region, handler),
    },
    presence: {
      announce: (presence, onSuperseded, report) =>
        agentOf(presence.region).presence.announce(presence, onSuperseded, report),
      list: async (region) => {
        await control.presence.list(region)
        return agentOf(region).presence.list(region)
      },
    },
    events: control.events,
    clock: {
      tell: control.clock.tell,
      read: (region, agent, now) => agentOf(region).clock.read(region, agent, now),
    },
    onReturn: (listener) => control.onReturn(listener),
    close: async () => {
      for (const bus of [...agents.values(), control]) await bus.close()
    },
  }
}

let mesh: MeshNats
/** NATS 2.9 does not report that a service of another account has no responders (docs/deploy.md). */
let isOfOldest = false
beforeAll(async () => {
  mesh = await startMeshNats(regions)
  const { info } = await mesh.connectAs('control-plane')
  isOfOldest = info?.version.startsWith('2.9.') === true
})
afterAll(() => mesh.close())

/** All tests share one server: they only need it empty of assignments. */
const meshTest: BusTest = (guarantee, body) => {
  test(guarantee, async (context) => {
    const bus = await openMesh(mesh)
    try {
      for (const region of regions) {
        for (const { checkId } of await bus.assignments.held(region)) {
          await bus.assignments.remove(region, checkId)
        }
      }
      const reopen = () => Promise.reject(new Error('nothing here is opened again'))
      await body({ bus, reopen, destroy: () => bus.close() }, context)
    } finally {
      await bus.close()
    }
  })
}

describe('bus contract: nats with the credentials of the mesh', () => {
  assignmentsContract(meshTest)
  messagingContract(meshTest, () => !isOfOldest)

  meshTest('error events go from control planes to the persister', async ({ bus }) => {
    const signal = new AbortController().signal
    const message = { partition: 2, messageId: 'event', data: Buffer.from('event') }
    const { sequence } = await bus.errors.publish(message)
    const persister = await bus.errors.consume(2, 'persist')
    const bounds = { messagesMax: 10, bytesMax: 1_000_000, waitMs: 5_000, signal }
    const messages = await persister.fetch(bounds)
    expect(messages.map(({ data }) => Buffer.from(data).toString())).toEqual(['event'])
    expect(await bus.errors.replay(2, sequence, sequence)).toEqual(messages)
    await persister.acknowledge(sequence)
    await vi.waitFor(async () => expect((await persister.lag()).messages).toBe(0), patience)
  })

  meshTest('readings go from the agents of every region to both consumers', async ({ bus }) => {
    const signal = new AbortController().signal
    const bounds = { messagesMax: 10, bytesMax: 1_000_000, waitMs: 5_000, signal }
    const ingest = await bus.readings.consume(3, 'ingest')
    const assess = await bus.readings.consume(3, 'assess')
    for (const region of regions) {
      const message = { partition: 3, region, messageId: region, data: Buffer.from(region) }
      expect(await bus.readings.publish(message)).toMatchObject({ duplicate: false })
      expect(await bus.readings.publish(message)).toMatchObject({ duplicate: true })
    }
    const messages = await ingest.fetch(bounds)
    expect(messages.map(({ data }) => Buffer.from(data).toString())).toEqual([...regions])
    expect(await assess.fetch(bounds)).toEqual(messages)
    const [first, last] = [messages[0]?.sequence ?? 0, messages[2]?.sequence ?? 0]
    expect(await bus.readings.replay(3, first, last)).toEqual(messages)
    for (const consumer of [ingest, assess]) await consumer.acknowledge(last)
    await vi.waitFor(async () => expect((await ingest.lag()).messages).toBe(0), patience)
  })
})
