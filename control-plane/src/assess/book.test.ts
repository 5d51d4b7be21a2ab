import { expect, test } from 'vitest'
import type { AssessedCheck } from '../postgres/states.ts'
import { newCheckState } from '../status/state.ts'
import { checkId, readingAt } from '../status/testing.ts'
import { createBook } from './book.ts'

const t0 = 1_700_000_000_000
const stored: AssessedCheck = {
  checkId,
  accountId: 'account',
  name: 'test',
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
  book.observe(readingAt('fra', 'down', t0 - 2))
  expect(versions(book)).toEqual([2])
})

test('what is observed while a flip is being recorded is recorded after it', () => {
  const book = createBook(() => t0)
  book.load(stored, lease)
  book.observe(readingAt('fra', 'up', t0 - 3))
  const [write] = book.flips()
  book.observe(readingAt('fra', 'down', t0 - 2))
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
