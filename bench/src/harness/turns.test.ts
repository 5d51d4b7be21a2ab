import { expect, test } from 'vitest'
import { takeTurns } from './turns.ts'

test('every contender runs once per round, and the one that starts changes', async () => {
  const calls: string[] = []
  const contender = (name: string) => async (round: number) => {
    calls.push(`${name}${round}`)
    return `${name} in ${round}`
  }
  const rounds = await takeTurns(3, { a: contender('a'), b: contender('b') })
  expect(calls).toEqual(['b1', 'a1', 'a2', 'b2', 'b3', 'a3'])
  expect(rounds.map(({ a, b }) => [a, b])).toEqual([
    ['a in 1', 'b in 1'],
    ['a in 2', 'b in 2'],
    ['a in 3', 'b in 3'],
  ])
})
