import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

test('so many run, so many wait in order, and one more is refused at once', async () => {
  const admission = createAdmission({ runningMax: 1, waitingMax: 2 })
  const order: string[] = []
  const leaveFirst = await admission.enter()
  const second = admission.enter().then((leave) => (order.push('second'), leave))
  const third = admission.enter().then((leave) => (order.push('third'), leave))
  await expect(admission.enter()).rejects.toThrow(/Code: 202.*1 run and 2 wait/)
  leaveFirst()
  // Leaving twice must not let two in.
  leaveFirst()
  const leaveSecond = await second
  expect(order).toEqual(['second'])
  leaveSecond()
  ;(await third)()
  expect(order).toEqual(['second', 'third'])
  await admission.idle()
})

test('idle means that nothing runs and nothing waits', async () => {
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
