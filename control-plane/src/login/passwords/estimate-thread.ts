// The thread that estimates passwords. Its dictionaries need 65 MB, and a complex password needs 0.5 s.
import { parentPort } from 'node:worker_threads'
import { weaknessOf, type EstimateQuestion } from './estimate.ts'

export type EstimateMessage = 'begun' | { weak: string | null }

const send = (message: EstimateMessage): void => parentPort?.postMessage(message, [])

parentPort?.on('message', (question: EstimateQuestion) => {
  send('begun')
  send({ weak: weaknessOf(question) })
})
