import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { failuresOf, tableOf } from './failures.ts'

const messageOf = (): string => {
  try {
    forAll([fc.nat()], (n) => n < 5)
  } catch (error) {
    return String(error)
  }
  return ''
}
const report = {
  numTotalTests: 3,
  testResults: [
    {
      name: '/here/a.test.ts',
      message: '',
      assertionResults: [
        { fullName: 'a > holds', status: 'passed', failureMessages: [] },
        { fullName: 'a > fails | sometimes', status: 'failed', failureMessages: [messageOf()] },
      ],
    },
    { name: '/here/b.test.ts', message: 'SyntaxError', assertionResults: [] },
  ],
}

test('a failure has the seed, the path and the case, and a file that does not load is one', () => {
  expect(failuresOf(report, 7, '/here')).toEqual([
    { file: 'a.test.ts', title: 'a > fails | sometimes', seed: 7, path: expect.any(String), case: '[5]' },
    { file: 'b.test.ts', title: '(the file)', seed: 7, path: null, case: 'SyntaxError' },
  ])
})

test('the table has one row for a test that failed twice, and says how to repeat it', () => {
  const table = tableOf([7, 8].flatMap((seed) => failuresOf(report, seed, '/here')))
  expect(table.split('\n')).toHaveLength(4)
  expect(table).toContain('fails \\| sometimes | 2 times | `PROPERTY_SEED=7 npm test -- a.test.ts` |')
  expect(tableOf([])).toBe('no property failed')
})
