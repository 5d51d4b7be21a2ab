import { expect, test } from 'vitest'
import { eachOf } from './each-of.ts'

/** Items whose work ends when the test says so. */
const openWork = () => {
  const under = new Map<number, PromiseWithResolvers<void>>()
  const act = (item: number): Promise<void> => {
    const work = Promise.withResolvers<void>()
    under.set(item, work)
    return work.promise.finally(() => under.delete(item))
  }
  return { under, act }
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('works off every item, never more at a time than allowed', async () => {
  const { under, act } = openWork()
  const done = eachOf([1, 2, 3, 4, 5], 2, act)
  const seen: number[][] = []
  for (let n = 0; n < 5; n++) {
    seen.push([...under.keys()])
    under.get(n + 1)?.resolve()
    await turn()
  }
  await done
  expect(seen).toEqual([[1, 2], [2, 3], [3, 4], [4, 5], [5]])
})

test('after an error starts nothing more, and throws it when the rest has ended', async () => {
  const { under, act } = openWork()
  let ended = false
  const done = eachOf([1, 2, 3, 4], 2, act).finally(() => (ended = true))
  const failed = expect(done).rejects.toThrow('no')
  under.get(1)?.reject(new Error('no'))
  await turn()
  expect([[...under.keys()], ended]).toEqual([[2], false])
  under.get(2)?.resolve()
  await failed
})
