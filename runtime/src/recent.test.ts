import { expect, test } from 'vitest'
import { createRecent } from './recent.ts'

test('keeps recent entries, and deletes the older half when it is full', () => {
  const recent = createRecent<number>(10)
  for (let n = 0; n < 11; n++) recent.set(`${n}`, n)
  const remembered = Array.from({ length: 11 }, (_, n) => recent.get(`${n}`) ?? null)
  expect(remembered).toEqual([null, null, null, null, null, null, 6, 7, 8, 9, 10])
  recent.delete('10')
  expect(recent.get('10')).toBeUndefined()
})
