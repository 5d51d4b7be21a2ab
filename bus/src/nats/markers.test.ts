import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { anAssignment, arrived, assignedIn, patience } from '../contract-suite/fixtures.ts'
import { silentLogger } from '../logger.ts'
import type { Bus } from '../port.ts'
import { createHeldMirrors } from './assignments.ts'
import { openLink } from './link.ts'
import { markerAgeMsMax, sweepEveryMs, sweepMarkers } from './markers.ts'
import { openNatsBus } from './nats-bus.ts'

let bus: Bus
const open = () => {
  const topology = { regions: ['fra', 'iad'], readingsBytesMax: 8 * 1024 * 1024 }
  return openNatsBus({ servers: [server.url], name: 'test', topology })
}
const server = useEach(() => startTestNats())
beforeEach(async () => {
  bus = await open()
})
const link = useEach(() => openLink({ servers: [server.url], name: 'test', log: silentLogger }))
afterEach(async () => {
  vi.useRealTimers()
  await bus.close()
})

/** The number of keys and markers of a bucket. */
const held = async (region = 'fra'): Promise<number> => {
  const admin = await connect({ servers: server.url })
  const jsm = await jetstreamManager(admin, { checkAPI: false })
  const { state } = await jsm.streams.info(`KV_assignments_${region}`)
  await admin.close()
  return state.messages
}
const putAndRemove = async (region = 'fra', between = async (): Promise<void> => {}) => {
  const assignment = anAssignment({ region })
  await bus.assignments.put(assignment)
  await between()
  await bus.assignments.remove(region, assignment.checkId)
  return assignment
}

const sweep = (before: number) => sweepMarkers(link, 'fra', createHeldMirrors(link)('fra'), before)

test('removes only markers older than the limit', async () => {
  const kept = anAssignment()
  await bus.assignments.put(kept)
  await putAndRemove()
  await putAndRemove()
  await putAndRemove('iad')
  expect(await sweep(Date.now() - markerAgeMsMax)).toBe(0)
  expect(await held()).toBe(3)
  expect(await sweep(Date.now() + 1_000)).toBe(2)
  expect(await held()).toBe(1)
  expect(await held('iad')).toBe(1)
  expect(await assignedIn(bus, 'fra')).toEqual([kept])
  expect(await sweep(Date.now() + 1_000)).toBe(0)
})

test('keeps an assignment that is put while its old marker is removed', async () => {
  const again = await putAndRemove()
  const purge = link.jsm.streams.purge.bind(link.jsm.streams)
  const purging = vi.spyOn(link.jsm.streams, 'purge').mockImplementation(async (...args) => {
    await bus.assignments.put(again)
    return purge(...args)
  })
  await sweep(Date.now() + 1_000)
  expect(purging).toHaveBeenCalledTimes(1)
  expect(await assignedIn(bus, 'fra')).toEqual([again])
})

test('earlier and later watchers see the same', async () => {
  const kept = anAssignment()
  await bus.assignments.put(kept)
  const watch = async () => {
    const seen: string[] = []
    await bus.assignments.watch('fra', {
      onPut: ({ checkId }) => seen.push(`put ${checkId}`),
      onRemove: () => seen.push('remove'),
      onCurrent: () => seen.push('current'),
    })
    return seen
  }
  const before = await watch()
  // a value removed before its delivery need not be delivered
  await putAndRemove('fra', () => arrived(before, 3))
  await arrived(before, 4)
  await sweep(Date.now() + 1_000)
  const after = await watch()
  await arrived(after, 2)
  expect(after).toEqual([`put ${kept.checkId}`, 'current'])
  expect(before.at(-1)).toBe('remove')
})

test('removes old markers when a control plane opens, and after each interval', async () => {
  await putAndRemove()
  await bus.close()
  const hourOn = Date.now() + markerAgeMsMax + 60_000
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: hourOn })
  bus = await open()
  await vi.waitFor(async () => expect(await held()).toBe(0), patience)
  await putAndRemove()
  expect(await held()).toBe(1)
  vi.advanceTimersByTime(sweepEveryMs)
  await vi.waitFor(async () => expect(await held()).toBe(0), patience)
})
