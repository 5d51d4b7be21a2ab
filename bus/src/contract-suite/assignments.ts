import type { Region } from '@probe-mesh/contracts/reading/regions'
import { expect } from 'vitest'
import type { Bus } from '../port.ts'
import type { BusTest } from './bus-test.ts'
import { anAssignment, arrived, assignedIn, until } from './fixtures.ts'

const byId = (a: { checkId: string }, b: { checkId: string }) => (a.checkId < b.checkId ? -1 : 1)

/** Watches a region and records all events in order. */
const record = async (bus: Bus, region: Region) => {
  const seen: string[] = []
  const subscription = await bus.assignments.watch(region, {
    onPut: ({ checkId, revision }) => seen.push(`put ${checkId} ${revision}`),
    onRemove: (checkId) => seen.push(`remove ${checkId}`),
    onCurrent: () => seen.push('current'),
  })
  return { seen, close: subscription.close }
}

export const assignmentsContract = (busTest: BusTest): void => {
  busTest(
    'a watch delivers current values, reports once that they are current, then changes in order',
    async (opened) => {
      const { bus } = opened
      const [a, b, c] = [anAssignment(), anAssignment(), anAssignment()]
      await bus.assignments.put(a)
      await bus.assignments.put(b)
      await bus.assignments.remove('fra', b.checkId)
      const { seen } = await record(bus, 'fra')
      await arrived(seen, 2)
      expect(seen).toEqual([`put ${a.checkId} 1`, 'current'])
      await bus.assignments.put({ ...a, revision: 2 })
      await bus.assignments.put(c)
      await bus.assignments.remove('fra', a.checkId)
      const last = `remove ${a.checkId}`
      await until(() => seen.at(-1) === last)
      expect(seen.filter((line) => line === 'current')).toHaveLength(1)
      expect(seen).toContain(`put ${c.checkId} 1`)
    },
  )

  busTest('the last value of a key is the last one seen, however fast it changes', async (opened) => {
    const { bus } = opened
    const assignment = anAssignment()
    const { seen } = await record(bus, 'fra')
    for (let revision = 1; revision <= 200; revision++) {
      await bus.assignments.put({ ...assignment, revision })
    }
    await until(() => seen.at(-1) === `put ${assignment.checkId} 200`)
    const revisions = seen.slice(1).map((line) => Number(line.split(' ')[2]))
    expect(revisions).toEqual(revisions.toSorted((x, y) => x - y))
  })

  busTest('an empty region is current at once', async (opened) => {
    const { seen } = await record(opened.bus, 'nrt')
    await arrived(seen, 1)
    expect(seen).toEqual(['current'])
  })

  busTest('regions do not see one another', async (opened) => {
    const { bus } = opened
    const here = anAssignment()
    const there = anAssignment({ region: 'iad', checkId: here.checkId, url: 'https://there.test/' })
    const { seen } = await record(bus, 'fra')
    await bus.assignments.put(there)
    await bus.assignments.put(here)
    await bus.assignments.remove('iad', here.checkId)
    await arrived(seen, 2)
    expect(await assignedIn(bus, 'fra')).toEqual([here])
    expect(await assignedIn(bus, 'iad')).toEqual([])
    expect(seen).toEqual(['current', `put ${here.checkId} 1`])
  })

  busTest('what one side changes in its copy, the other does not see', async (opened) => {
    const { bus } = opened
    const assignment = anAssignment()
    const { accountId } = assignment
    await bus.assignments.put(assignment)
    assignment.accountId = 'changed'
    const [listed] = await assignedIn(bus, 'fra')
    if (listed !== undefined) listed.accountId = 'changed'
    expect((await assignedIn(bus, 'fra'))[0]?.accountId).toBe(accountId)
  })

  busTest('what a region has is its last assignments, as far as they are compared', async (opened) => {
    const { bus } = opened
    const [changed, spread, removed] = [anAssignment(), anAssignment({ phaseMs: 7 }), anAssignment()]
    for (const assignment of [changed, spread, removed]) await bus.assignments.put(assignment)
    const heldIn = async (region: Region) => (await bus.assignments.held(region)).toSorted(byId)
    const [{ checkId: first }, { checkId: second }] = [changed, spread]
    const third = { checkId: removed.checkId, revision: 1 }
    const spreadHeld = { checkId: second, revision: 1, phaseMs: 7 }
    expect(await heldIn('fra')).toEqual([{ checkId: first, revision: 1 }, spreadHeld, third].toSorted(byId))
    await bus.assignments.put({ ...changed, revision: 2 })
    await bus.assignments.remove('fra', removed.checkId)
    expect(await heldIn('fra')).toEqual([{ checkId: first, revision: 2 }, spreadHeld].toSorted(byId))
    expect(await heldIn('iad')).toEqual([])
  })

  busTest('a handler is never called within the call that made the change', async (opened) => {
    const { bus } = opened
    let depth = 0
    let deepest = 0
    let puts = 0
    await bus.assignments.watch('fra', {
      onPut: () => {
        depth++
        deepest = Math.max(deepest, depth)
        puts++
        if (puts < 5) void bus.assignments.put(anAssignment())
        depth--
      },
      onRemove: () => undefined,
      onCurrent: () => undefined,
    })
    await bus.assignments.put(anAssignment())
    await until(() => puts === 5)
    expect(deepest).toBe(1)
  })

  busTest('keeps notifying a handler that throws', async (opened) => {
    const { bus } = opened
    const calls: string[] = []
    await bus.assignments.watch('fra', {
      onPut: ({ checkId }) => {
        calls.push(checkId)
        throw new Error('a bug of the watcher')
      },
      onRemove: () => undefined,
      onCurrent: () => undefined,
    })
    const [a, b] = [anAssignment(), anAssignment()]
    await bus.assignments.put(a)
    await arrived(calls, 1)
    await bus.assignments.put(b)
    await arrived(calls, 2)
    expect(calls).toEqual([a.checkId, b.checkId])
  })

  busTest('a closed watch is silent', async (opened) => {
    const { bus } = opened
    const closed = await record(bus, 'fra')
    const open = await record(bus, 'fra')
    await arrived(closed.seen, 1)
    await closed.close()
    await bus.assignments.put(anAssignment())
    await arrived(open.seen, 2)
    expect(closed.seen).toEqual(['current'])
  })
}
