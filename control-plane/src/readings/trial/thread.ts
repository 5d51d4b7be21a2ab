// The thread in which messages are read before a process reads them: what ends it ends nothing else.
import { parentPort } from 'node:worker_threads'
import { decodeErrorsMessage } from '../../error-tracking/events/errors-message.ts'
import { decodeMessage } from '../decode.ts'
import type { TrialQuestion } from './trial-reader.ts'

parentPort?.on('message', ({ kind, messages, read }: TrialQuestion) => {
  Atomics.store(read, 0, 0)
  for (const message of messages) {
    if (kind === 'readings') decodeMessage(message)
    else decodeErrorsMessage(message.data)
    Atomics.add(read, 0, 1)
  }
  parentPort?.postMessage('read', [])
})
