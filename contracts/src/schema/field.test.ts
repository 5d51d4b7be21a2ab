import { expect, test } from 'vitest'
import { z } from 'zod'
import { field, wordsOf } from './field.ts'

test('the words of a field stay its own, and what it refuses stays', () => {
  const even = z.int().refine((number) => number % 2 === 0, 'must be even')
  const port = field(even, 'Port.', 80)
  expect([wordsOf(port), wordsOf(even)]).toEqual([{ description: 'Port.', examples: [80] }, {}])
  expect(port.safeParse(81).error?.issues).toEqual(even.safeParse(81).error?.issues)
})
