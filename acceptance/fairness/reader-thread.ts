import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { logIn } from './person.ts'
import type { Reading } from './reader.ts'

/** Reads the account's checks one after another, on a loop that does nothing else. */
const { origin, owner, count, betweenMs } = workerData as Reading
const person = await logIn(origin, owner)
const tookMs: number[] = []
for (let read = 0; read < count; read++) {
  const beganMs = performance.now()
  await person.requestOk('GET', '/checks')
  tookMs.push(performance.now() - beganMs)
  await pause(betweenMs)
}
parentPort?.postMessage(tookMs, [])
