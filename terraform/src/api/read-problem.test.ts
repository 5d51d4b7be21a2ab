import { Problem, refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { readProblem } from './failure.ts'

const sound = toProblem(refuse('SV-2001', { errors: [{ path: 'url', message: 'is wrong' }] }))

test('agrees with the contract about what is a problem', () => {
  const name = fc.constantFrom(...Object.keys(sound))
  const value = fc.oneof(
    fc.constantFrom<unknown>('SV-1004', 'SV-104', 422, 1.5, [], [{ path: 'a' }], sound.errors, [null]),
    fc.jsonValue(),
  )
  forAll([name, value, fc.boolean()], { numRuns: 2_000 }, (changed, to, isWhole) => {
    const answer = isWhole ? { ...sound, [changed]: to } : to
    expect(readProblem(answer) !== null).toBe(Problem.safeParse(answer).success)
  })
  expect(readProblem(sound)).toEqual(sound)
})
