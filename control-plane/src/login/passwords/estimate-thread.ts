// The thread in which passwords are estimated: its dictionaries take 65 MB, and a hard password half a second.
import { parentPort } from 'node:worker_threads'
import { weaknessOf } from './estimate.ts'
import type { EstimateQuestion } from './estimate.ts'

parentPort?.on('message', (question: EstimateQuestion) => {
  parentPort?.postMessage(weaknessOf(question), [])
})
