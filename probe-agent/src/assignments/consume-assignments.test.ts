import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { describe, expect, test } from 'vitest'
import { createAssignmentTable } from '../ownership/assignment-table.ts'
import { createScheduler } from '../schedule/scheduler.ts'
import { emptyBelievedMs, consumeAssignments } from './consume-assignments.ts'

/** A consumer over a table with some assignments, as if loaded from the cache. */
const open = (cached: Assignment[]) => {
  const setTimer = (_delayMs: number, _callback: () => void) => () => undefined
  const scheduler = createScheduler({ now: () => 0, setTimer, onDue: () => undefined })
  const table = createAssignmentTable('fra-1', scheduler, 0)
  table.shareAmong(['fra-1'])
  for (const assignment of cached) table.put(assignment, { catchUp: false })
  const written: string[] = []
  const timers: { delayMs: number; callback: () => void }[] = []
  let refused = 0
  const taker = consumeAssignments({
    region: 'fra',
    table,
    cache: {
      put: ({ checkId, revision }) => written.push(`put ${checkId} ${revision}`),
      remove: (checkId) => written.push(`remove ${checkId}`),
    },
    setTimer: (delayMs, callback) => {
      const timer = { delayMs, callback }
      timers.push(timer)
      return () => timers.splice(timers.indexOf(timer), 1)
    },
    log: silentLogger,
    onRefused: () => refused++,
  })
  const held = () => [...table.ids()]
  return { taker, table, scheduler, written, timers, held, refused: () => refused }
}

describe('a watch of the assignments', () => {
  test('removes cached assignments that the bucket does not have, once it is current', () => {
    const [kept, gone, added] = [anAssignment(), anAssignment(), anAssignment()]
    const { taker, written, held, scheduler } = open([kept, gone])
    const watch = taker.newWatch()
    watch.onPut(kept)
    watch.onPut(added)
    expect([taker.current, held().length]).toEqual([false, 3])
    watch.onCurrent()
    expect([taker.current, held()]).toEqual([true, [kept.checkId, added.checkId]])
    expect(scheduler.size).toBe(2)
    expect(written).toEqual([`put ${added.checkId} 1`, `remove ${gone.checkId}`])
  })

  test('that repeats known assignments writes nothing', () => {
    const assignment = anAssignment()
    const { taker, written } = open([assignment])
    for (let life = 0; life < 2; life++) {
      const watch = taker.newWatch()
      watch.onPut(structuredClone(assignment))
      watch.onCurrent()
    }
    expect(written).toEqual([])
  })

  test('of an empty bucket takes effect only after a minute', () => {
    const known = [anAssignment(), anAssignment()]
    const { taker, timers, held } = open(known)
    taker.newWatch().onCurrent()
    expect(held()).toHaveLength(2)
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([emptyBelievedMs])
    timers[0]?.callback()
    expect(held()).toEqual([])
  })

  test('of a refilled bucket keeps its assignments and removes the others', () => {
    const [kept, gone] = [anAssignment(), anAssignment()]
    const { taker, timers, held } = open([kept, gone])
    const watch = taker.newWatch()
    watch.onCurrent()
    watch.onPut(kept)
    expect(held()).toHaveLength(2)
    timers[0]?.callback()
    expect(held()).toEqual([kept.checkId])
  })

  test('started again cancels the timer of the previous one, whose events are ignored', () => {
    const assignment = anAssignment()
    const { taker, timers, held } = open([assignment])
    const former = taker.newWatch()
    former.onCurrent()
    const next = taker.newWatch()
    expect(timers).toEqual([])
    former.onRemove(assignment.checkId)
    former.onPut(anAssignment())
    former.onCurrent()
    expect(held()).toEqual([assignment.checkId])
    next.onRemove(assignment.checkId)
    expect(held()).toEqual([])
  })

  test('of a restored bucket with older revisions is accepted; a late earlier watch is not', () => {
    const assignment = anAssignment({ revision: 5 })
    const { taker, table } = open([assignment])
    const watch = taker.newWatch()
    watch.onPut({ ...assignment, revision: 3 })
    expect(table.revisionOf(assignment.checkId)).toBe(3)
    watch.onCurrent()
    watch.onPut({ ...assignment, revision: 2 })
    expect(table.revisionOf(assignment.checkId)).toBe(3)
  })

  test.each<[string, object]>([
    ['of another region', { region: 'iad' }],
    ['of another region and a type of a newer version', { region: 'iad', type: 'quic' }],
    ['without a revision', { revision: null }],
    ['without an interval', { intervalSeconds: undefined }],
    ['with a type that is no word', { type: 'a type\n' }],
  ])('an assignment %s stops its check, here and in the cache', (_, over) => {
    const assignment = anAssignment()
    const { taker, held, written, refused } = open([assignment])
    const watch = taker.newWatch()
    watch.onPut(fromNewer(assignment, over))
    expect([held(), refused()]).toEqual([[], 1])
    expect(written).toEqual([`remove ${assignment.checkId}`])
  })
})

/** A message from a newer control plane. */
const fromNewer = (assignment: Assignment, over: object): Assignment => ({ ...assignment, ...over })

describe('an assignment of a newer version', () => {
  test.each<[string, object, string]>([
    ['of an unknown type', { type: 'quic', revision: 2 }, 'quic'],
    ['of a known type in a new form', { assertions: 'all', revision: 2 }, 'http'],
  ])('%s is held as unknown in place of the old one, and counted', (_, over, sentType) => {
    const assignment = anAssignment()
    const { taker, table, written, scheduler, refused } = open([assignment])
    const watch = taker.newWatch()
    watch.onPut(fromNewer(assignment, over))
    watch.onCurrent()
    const { checkId, region, validFrom, intervalSeconds } = assignment
    expect([...table.assignments()]).toEqual([
      { checkId, region, validFrom, intervalSeconds, revision: 2, type: 'unknown', sentType },
    ])
    expect([scheduler.size, refused()]).toEqual([1, 1])
    expect(written).toEqual([`put ${checkId} 2`])
  })

  test('runs once the agent understands it, and stops when it is removed', () => {
    const assignment = anAssignment()
    const { taker, table, scheduler } = open([])
    const watch = taker.newWatch()
    watch.onPut(fromNewer(assignment, { type: 'quic' }))
    watch.onPut(assignment)
    expect([...table.assignments()]).toEqual([assignment])
    watch.onPut(fromNewer(assignment, { type: 'quic', revision: 2 }))
    watch.onRemove(assignment.checkId)
    expect([table.size, scheduler.size]).toEqual([0, 0])
  })
})
