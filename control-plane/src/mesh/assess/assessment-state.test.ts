import { expect, test } from 'vitest'
import type { AssessedCheck } from '../../status/states-store.ts'
import { newCheckState } from '../../status/state.ts'
import { answerAt, checkId, readingAt } from '../../status/testing.ts'
import { createBook } from './assessment-state.ts'

const t0 = 1_700_000_000_000
const stored: AssessedCheck = {
  checkId,
  accountId: 'account',
  name: 'test',
  host: 'example.com',
  regions: ['fra'],
  intervalSeconds: 60,
  state: newCheckState,
}
const lease = { partition: 0, epoch: 1 }
const versions = (book: ReturnType<typeof createBook>): number[] =>
  book.flips().flatMap((write) => write.flips.map((flip) => flip.version))

test('a check taken again while its flip is being recorded counts versions on', () => {
  const book = createBook(() => t0)
  book.load(stored, lease)
  book.observe(readingAt('fra', 'up', t0 - 3))
  const [write] = book.flips()
  if (write === undefined) throw new Error('no flip')
  book.load(stored, lease)
  book.settle(write)
  book.observe(answerAt('fra', 'down', t0 - 2))
  expect(versions(book)).toEqual([2])
})

test('a backlog that was measured without a gap is no silence to whoever judges it after a restart', () => {
  let nowMs = t0
  const before = createBook(() => nowMs)
  before.load(stored, lease)
  before.observe(readingAt('fra', 'up', t0))
  const left = before.flips()[0]?.state ?? newCheckState
  nowMs = t0 + 200_000
  const book = createBook(() => nowMs)
  book.load({ ...stored, state: left }, { partition: 0, epoch: 2 })
  for (const atMs of [60_000, 120_000, 180_000]) book.observe(readingAt('fra', 'up', t0 + atMs))
  book.sweep(() => true)
  expect(book.flips()).toEqual([])
})

test('what is observed while a flip is being recorded is recorded after it', () => {
  const book = createBook(() => t0)
  book.load(stored, lease)
  book.observe(readingAt('fra', 'up', t0 - 3))
  const [write] = book.flips()
  book.observe(answerAt('fra', 'down', t0 - 2))
  if (write === undefined) throw new Error('no flip')
  expect(book.isFlipping()).toBe(true)
  book.settle(write)
  expect(versions(book)).toEqual([2])
  expect(book.flips()[0]?.expectedVersion).toBe(1)
})

test('states behind a flip are not written before it', () => {
  const book = createBook(() => t0)
  book.load(stored, lease)
  book.observe(readingAt('fra', 'up', t0 - 3))
  expect(book.takeDirty(10)).toEqual([])
  const [write] = book.flips()
  if (write === undefined) throw new Error('no flip')
  book.settle(write)
  book.observe(readingAt('fra', 'up', t0 - 2))
  expect(book.takeDirty(10).map((dirty) => dirty.state.version)).toEqual([1])
  expect(book.takeDirty(10)).toEqual([])
})

test('a check that is taken while a region is quarantined holds nothing of that region against it', () => {
  const book = createBook(() => t0)
  const elsewhere = createBook(() => t0)
  elsewhere.load({ ...stored, regions: ['fra', 'iad'] }, lease)
  elsewhere.observe(answerAt('fra', 'down', t0 - 3))
  const written = elsewhere.get(checkId)
  if (written === undefined) throw new Error('not held')
  book.quarantine(new Set(['fra']))
  book.load(written, lease)
  expect(book.get(checkId)?.state.regions['fra']).toMatchObject({ failing: false, withdrawnAt: t0 })
  expect(book.takeDirty(10).map((write) => write.checkId)).toEqual([checkId])
  book.observe(readingAt('iad', 'up', t0 - 2))
  expect(book.get(checkId)?.state.status).toBe('operational')
})

test('a check judged by its new definition keeps what was measured', () => {
  const book = createBook(() => t0)
  book.load(stored, lease)
  book.observe(readingAt('fra', 'up', t0 - 3))
  book.load({ ...stored, name: 'renamed', regions: ['fra', 'iad'] }, lease)
  expect(book.get(checkId)).toMatchObject({
    name: 'renamed',
    regions: ['fra', 'iad'],
    state: { status: 'operational' },
  })
})
