import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { ownerAmong } from './assignment-table.ts'

const ids = Array.from(
  { length: 20_000 },
  (_, n) => `0199f3a1-7c00-7000-8000-${n.toString(16).padStart(12, '0')}`,
)
const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{3}-[A-Za-z0-9_-]{1,12}$/), {
  minLength: 2,
  maxLength: 8,
})
const ownersAmong = (members: readonly string[]) => ids.map(ownerAmong(members))
const holds = (members: readonly string[], decision: (members: readonly string[]) => void) => {
  for (const usual of [
    ['fra-1', 'fra-2'],
    ['fra-1', 'fra-2', 'fra-3', 'fra-4'],
  ])
    decision(usual)
  decision(members)
}

describe('the owner of a check', () => {
  test('a member that joins takes its share from all others, and nothing else moves', () => {
    forAll([names], { numRuns: 15 }, (drawn) => {
      holds(drawn, (members) => {
        const [joining = '', ...before] = members
        const former = ownersAmong(before)
        const next = ownersAmong(members)
        const moved = next.filter((owner, n) => owner !== former[n])
        expect(moved.every((owner) => owner === joining)).toBe(true)
        expect(moved.length).toBeLessThan(ids.length * (1 / members.length + 0.05))
      })
    })
  })

  test('a member that leaves moves only its own checks', () => {
    forAll([names], { numRuns: 15 }, (members) => {
      const [leaving = '', ...rest] = members
      const former = ownersAmong(members)
      const next = ownersAmong(rest)
      const moved = former.filter((owner, n) => owner !== next[n])
      expect(moved).toEqual(former.filter((owner) => owner === leaving))
    })
  })

  test('shares are even within 5 points', () => {
    forAll([names], { numRuns: 15 }, (drawn) => {
      holds(drawn, (members) => {
        const owners = ownersAmong(members)
        for (const member of members) {
          const share = owners.filter((owner) => owner === member).length / ids.length
          expect(Math.abs(share - 1 / members.length)).toBeLessThan(0.05)
        }
      })
    })
  })

  test('does not depend on the order of the list, nor on duplicate names', () => {
    forAll([names], { numRuns: 10 }, (members) => {
      const [first = ''] = members
      expect(ownersAmong([...members.toReversed(), first])).toEqual(ownersAmong(members))
    })
  })

  test('is the only member if there is one, and an error without members', () => {
    expect(new Set(ownersAmong(['fra-1']))).toEqual(new Set(['fra-1']))
    expect(() => ownerAmong([])).toThrow(RangeError)
  })
})
