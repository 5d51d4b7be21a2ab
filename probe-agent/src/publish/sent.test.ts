import { describe, expect, test } from 'vitest'
import { createSent } from './sent.ts'

describe('messages sent and not stored', () => {
  test('a mark covers its batch and all earlier ones, and no later one', () => {
    const sent = createSent()
    for (const batch of [10, 11, 12]) sent.add(batch, batch * 100, batch)
    expect(sent.mark(9)).toBeNull()
    expect(sent.mark(11)).toBe(1_100)
    expect(sent.oldestAt()).toBe(12)
    expect(sent.mark(11)).toBeNull()
    expect(sent.mark(99)).toBe(1_200)
    expect(sent.oldestAt()).toBeNull()
  })

  test('a mark of a later pass releases only that pass', () => {
    const sent = createSent()
    for (const batch of [1, 2, 3]) sent.add(batch, batch * 100, 0)
    sent.join(50)
    expect([sent.size, sent.oldestAt()]).toEqual([1, 50])
    sent.add(4, 100, 51)
    sent.add(5, 200, 52)
    expect(sent.mark(4)).toBe(100)
    expect(sent.mark(5)).toBe(200)
  })

  test('a mark of the earlier pass still releases all of it', () => {
    const sent = createSent()
    for (const batch of [1, 2, 3]) sent.add(batch, batch * 100, 0)
    sent.join(50)
    sent.add(4, 100, 51)
    expect(sent.mark(2)).toBeNull()
    expect(sent.mark(3)).toBe(300)
    expect(sent.size).toBe(1)
  })
})
