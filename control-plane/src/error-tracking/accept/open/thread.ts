// The thread in which bodies are opened: one piece at a time, the next one of whoever has had least of it.
import { setImmediate as hearMore } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { dsnOf, openInPieces } from './open-body.ts'
import type { Opening, OpeningCommand } from './open-body.ts'
import type { ThreadAnswer, ThreadQuestion } from './opener.ts'

/** Small events of one body go together for so long: a turn has its price. */
const pieceMsMax = 10
/** Whoever asks has bounds of its own, which are lower. */
const questionsMax = 100_000

const turns = createFairPool({
  places: 1,
  placesOfOwner: 1,
  waiting: questionsMax,
  waitingOfOwner: questionsMax,
})
/** Bodies of which some is left. */
const openings = new Map<number, Opening>()

type Outcome = Pick<Extract<ThreadAnswer, { answer?: unknown }>, 'answer'> | { more: true }

const pieceOf = (asked: ThreadQuestion): Outcome => {
  if (asked.kind === 'dsn') return { answer: dsnOf(asked.question) }
  const opening = asked.kind === 'open' ? openInPieces(asked.question) : openings.get(asked.number)
  if (opening === undefined) throw new Error('no such body')
  openings.set(asked.number, opening)
  const command: OpeningCommand = asked.kind === 'rest' ? 'count' : 'open'
  const untilMs = performance.now() + (asked.kind === 'rest' ? Infinity : pieceMsMax)
  for (;;) {
    const piece = opening.next(command)
    if (piece.done === true) {
      openings.delete(asked.number)
      return { answer: piece.value }
    }
    if (performance.now() >= untilMs) return { more: true }
  }
}

/** What may change its thread instead of being copied: messages of their own memory. */
const movable = (outcome: Outcome): ArrayBuffer[] => {
  const opened = 'answer' in outcome ? outcome.answer : undefined
  if (typeof opened !== 'object' || 'refused' in opened) return []
  return opened.events.flatMap((event) => {
    if (!('data' in event) || event.data.byteLength < event.data.buffer.byteLength) return []
    return event.data.buffer instanceof ArrayBuffer ? [event.data.buffer] : []
  })
}

const answer = async (asked: ThreadQuestion): Promise<void> => {
  const { number } = asked
  const turn = await turns.take(asked.owner)
  if (typeof turn === 'string') {
    const answered: ThreadAnswer = { number, ms: 0, failed: new Error(turn) }
    parentPort?.postMessage(answered, [])
    return
  }
  await hearMore()
  const beganMs = performance.now()
  let outcome: Outcome | { failed: Error }
  try {
    outcome = pieceOf(asked)
  } catch (error) {
    // it costs the request that it came with, not those beside it
    openings.delete(number)
    outcome = { failed: error instanceof Error ? error : new Error(String(error)) }
  }
  const ms = performance.now() - beganMs
  parentPort?.postMessage(
    { number, ms, ...outcome } satisfies ThreadAnswer,
    'failed' in outcome ? [] : movable(outcome),
  )
  // what came meanwhile is in the queue before the next turn is given
  await hearMore()
  turn.release(ms)
}

parentPort?.on('message', (asked: ThreadQuestion) => void answer(asked))
