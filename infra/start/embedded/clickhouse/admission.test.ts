import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

test('runs and queues statements up to its bounds, in order, and refuses one more at once', async () => {
  const admission = createAdmission({ runningMax: 1, waitingMax: 2 })
  const order: string[] = []
  const leaveFirst = await admission.enter()
  const second = admission.enter().then((leave) => (order.push('second'), leave))
  const third = admission.enter().then((leave) => (order.push('third'), leave))
  await expect(admission.enter()).rejects.toThrow(/Code: 202.*1 run and 2 wait/)
  leaveFirst()
  // releasing twice must not admit two
  leaveFirst()
  const leaveSecond = await second
  expect(order).toEqual(['second'])
  leaveSecond()
  ;(await third)()
  expect(order).toEqual(['second', 'third'])
  await admission.idle()
})

test('is idle when no statement runs or waits', async () => {
  const admission = createAdmission({ runningMax: 1, waitingMax: 1 })
  const leave = await admission.enter()
  const waiting = admission.enter()
  let idle = false
  const becameIdle = admission.idle().then(() => (idle = true))
  leave()
  const leaveLast = await waiting
  expect(idle).toBe(false)
  leaveLast()
  await becameIdle
  expect(idle).toBe(true)
})
