import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { byShard, shardOf, type Shard } from './shard.ts'

const unused = (): never => {
  throw new Error('nothing is asked of a shard here')
}
const someShards = (count: number): Shard[] =>
  Array.from({ length: count }, () => ({ use: unused, useCurrent: unused }))
const id = fc.uuid()
const counts = fc.integer({ min: 1, max: 16 })

test('each check has one owner, which gets all its rows of a batch in order', () => {
  forAll([fc.array(id, { minLength: 1, maxLength: 8 }), fc.nat(40), counts], (ids, n, count) => {
    const shards = someShards(count)
    const rows = Array.from({ length: n }, (_, at) => ({ id: ids[at % ids.length] ?? '', at }))
    const parts = byShard(shards, rows, (row) => row.id)
    for (const { shard, rows: part } of parts) {
      const owners = part.map((row) => shards[shardOf(row.id, count)])
      expect(new Set(owners)).toEqual(new Set(part.length === 0 ? [] : [shard]))
      expect(part.map(({ at }) => at)).toEqual(part.map(({ at }) => at).toSorted((a, b) => a - b))
    }
    expect(new Set(parts.map(({ shard }) => shard)).size).toBe(parts.length)
    expect(parts.flatMap((part) => part.rows).toSorted((a, b) => a.at - b.at)).toEqual(rows)
  })
})

test('a new shard takes over its own share, and no other check moves', () => {
  forAll([id, counts], (check, count) => {
    const [before, after] = [shardOf(check, count), shardOf(check, count + 1)]
    expect([before, count]).toContain(after)
  })
})

test.each([2, 3, 4, 8, 16])('%i shards have as much each, to within a tenth', (count) => {
  const share = 10_000 / count
  const owned = Array.from({ length: count }, () => 0)
  for (let n = 0; n < 10_000; n++) {
    // ids that differ only at the end
    const check = `0190a1b2-c3d4-7e5f-8a9b-${n.toString(16).padStart(12, '0')}`
    const owner = shardOf(check, count)
    owned[owner] = (owned[owner] ?? 0) + 1
  }
  for (const rows of owned) expect(Math.abs(rows - share) / share).toBeLessThan(0.1)
})

test('the shard of a check never changes between versions', () => {
  const check = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
  expect([1, 2, 3, 4, 8, 16].map((count) => shardOf(check, count))).toEqual([0, 0, 2, 2, 2, 9])
})

test('a stored row is sent to the shard that has it, even if another shard owns it', () => {
  const shards = someShards(3)
  const rows = ['a', 'b', 'c'].map((name) => ({ name }))
  const parts = byShard(
    shards,
    rows,
    ({ name }) => name,
    ({ name }) => (name === 'b' ? 2 - (shardOf('b', 3) % 2) : undefined),
  )
  const of = (name: string) => parts.find((part) => part.rows.some((row) => row.name === name))
  expect(of('b')?.shard).toBe(shards[2 - (shardOf('b', 3) % 2)])
  expect(of('a')?.shard).toBe(shards[shardOf('a', 3)])
})
