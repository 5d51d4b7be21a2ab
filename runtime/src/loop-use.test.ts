import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoopUse } from './loop-use.ts'

const workFor = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop that works without a pause is busy, one that waits is not', async () => {
  const isBusy = createLoopUse()
  isBusy()
  for (let turn = 0; turn < 10; turn++) {
    workFor(20)
    await pause(0)
  }
  expect(isBusy()).toBe(true)
  await pause(1_000)
  expect(isBusy()).toBe(false)
})
