import { poisonBounds } from '@probe-mesh/contracts/reading/set-aside'
import { expect, test } from 'vitest'
import { toPoison } from './poison.ts'
import { createPoisonShare } from './poison-share.ts'

const poison = (owner: string, bytes = 10) =>
  toPoison(
    { partition: 1, sequence: 1, data: new Uint8Array(), storedAt: 0 },
    { owner, reason: 'test', payload: new Uint8Array(bytes) },
    0,
  )
const many = (owner: string, count: number, bytes?: number) =>
  Array.from({ length: count }, () => poison(owner, bytes))

const start = () => {
  const counts = { kept: 0, dropped: 0 }
  let nowMs = 1_000
  const share = createPoisonShare({
    now: () => nowMs,
    onKept: (count) => (counts.kept += count),
    onDropped: (count) => (counts.dropped += count),
  })
  return { share, counts, pass: (ms: number) => (nowMs += ms) }
}
const { ownerPerMinute, allPerMinute } = poisonBounds

test('stores rows of an owner up to its share of the minute and counts the rest', () => {
  const { share, counts } = start()
  expect(share.keep(many('fra', ownerPerMinute.rows + 7))).toHaveLength(ownerPerMinute.rows)
  expect(counts).toEqual({ kept: ownerPerMinute.rows, dropped: 7 })
})

test('stores bytes of an owner up to its share of the minute', () => {
  const { share } = start()
  const bytes = 64 * 1024
  const fitting = Math.floor(ownerPerMinute.bytes / bytes)
  expect(share.keep(many('fra', fitting + 5, bytes))).toHaveLength(fitting)
})

test('an owner with a used-up share takes nothing from others', () => {
  const { share } = start()
  share.keep(many('fra', ownerPerMinute.rows + 1))
  expect(share.keep([poison('iad')])).toHaveLength(1)
})

test('all owners together have a limit', () => {
  const { share } = start()
  const bytes = 64 * 1024
  const each = Math.floor(ownerPerMinute.bytes / bytes)
  const owners = Math.ceil(allPerMinute.bytes / (each * bytes)) + 2
  let kept = 0
  for (let owner = 0; owner < owners; owner++) {
    kept += share.keep(many(`private-${owner}`, each, bytes)).length
  }
  expect(kept * bytes).toBeLessThanOrEqual(2 * allPerMinute.bytes)
  expect(kept).toBeGreaterThan(each)
})

test('an owner with few rows keeps its floor when the share of all is used up, and floors have a limit', () => {
  const { share } = start()
  const { floorPerMinute } = poisonBounds
  for (let n = 0; n < allPerMinute.rows / ownerPerMinute.rows; n++) {
    share.keep(many(`hog-${n}`, ownerPerMinute.rows))
  }
  expect(share.keep(many('iad', floorPerMinute.rows + 1))).toHaveLength(floorPerMinute.rows)
  let kept = floorPerMinute.rows
  for (let n = 0; n < 1_100; n++) kept += share.keep(many(`little-${n}`, 20)).length
  expect(kept).toBe(allPerMinute.rows)
})

test('the shares start again every minute', () => {
  const { share, pass } = start()
  share.keep(many('fra', ownerPerMinute.rows + 1))
  pass(60_000)
  expect(share.keep([poison('fra')])).toHaveLength(1)
})
