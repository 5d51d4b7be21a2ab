// The thread in which bodies are opened. It answers the questions of a message together, by their numbers.
import { parentPort } from 'node:worker_threads'
import { dsnOf, openBody } from './open-body.ts'
import type { ThreadAnswer, ThreadQuestion } from './opener.ts'

const answerOf = ({ number, ...asked }: ThreadQuestion): ThreadAnswer => {
  try {
    const answer = asked.kind === 'dsn' ? dsnOf(asked.question) : openBody(asked.question)
    return { number, answer }
  } catch (error) {
    // it costs the request that it came with, not those beside it
    return { number, failed: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** What may change its thread instead of being copied: messages of their own memory. */
const movable = (answered: ThreadAnswer): ArrayBuffer[] => {
  const opened = 'answer' in answered ? answered.answer : undefined
  if (typeof opened !== 'object' || 'refused' in opened) return []
  return opened.events.flatMap((event) => {
    if (!('data' in event) || event.data.byteLength < event.data.buffer.byteLength) return []
    return event.data.buffer instanceof ArrayBuffer ? [event.data.buffer] : []
  })
}

parentPort?.on('message', (asked: readonly ThreadQuestion[]) => {
  const answers = asked.map(answerOf)
  parentPort?.postMessage(answers, answers.flatMap(movable))
})
