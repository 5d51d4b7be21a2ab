// The thread that opens bodies, one piece at a time. The next piece belongs to the account with the least use
// so far.
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { dsnOf, openInPieces, type Opening, type OpeningCommand } from './open-body.ts'
import { pieceAt, requestAt, type ThreadResponse, type ThreadRequest } from './opener.ts'

/** Small events of one body share a piece up to this time, because a turn has a cost. */
const pieceMsMax = 10
/** The opener itself has lower limits. */
const requestsMax = 100_000

const turns = createFairPool({
  places: 1,
  placesOfOwner: 1,
  waiting: requestsMax,
  waitingOfOwner: requestsMax,
})
/** What this thread works on, for its watch. */
const works = workerData as Int32Array
/** Bodies in progress. */
const openings = new Map<number, Opening>()

type Outcome = Pick<Extract<ThreadResponse, { answer?: unknown }>, 'answer'> | { more: true }

const nextPiece = (request: ThreadRequest): Outcome => {
  if (request.kind === 'dsn') return { answer: dsnOf(request.question) }
  const opening = request.kind === 'open' ? openInPieces(request.question) : openings.get(request.number)
  if (opening === undefined) throw new Error('no such body')
  openings.set(request.number, opening)
  const command: OpeningCommand = request.kind === 'rest' ? 'count' : 'open'
  const untilMs = performance.now() + (request.kind === 'rest' ? Infinity : pieceMsMax)
  for (;;) {
    const piece = opening.next(command)
    if (piece.done === true) {
      openings.delete(request.number)
      return { answer: piece.value }
    }
    if (performance.now() >= untilMs) return { more: true }
  }
}

/** Buffers to transfer instead of copying: those of messages with their own memory. */
const transferable = (outcome: Outcome): ArrayBuffer[] => {
  const opened = 'answer' in outcome ? outcome.answer : undefined
  if (typeof opened !== 'object' || 'refused' in opened) return []
  return opened.events.flatMap((event) => {
    if (!('data' in event) || event.data.byteLength < event.data.buffer.byteLength) return []
    return event.data.buffer instanceof ArrayBuffer ? [event.data.buffer] : []
  })
}

const answer = async (request: ThreadRequest): Promise<void> => {
  const { number } = request
  const turn = await turns.take(request.owner)
  if (typeof turn === 'string') {
    const answered: ThreadResponse = { number, ms: 0, failed: new Error(turn) }
    parentPort?.postMessage(answered, [])
    return
  }
  await yieldToLoop()
  const beganMs = performance.now()
  let outcome: Outcome | { failed: Error }
  Atomics.add(works, pieceAt, 1)
  Atomics.store(works, requestAt, number)
  try {
    outcome = nextPiece(request)
  } catch (error) {
    // fails only the request of this body
    openings.delete(number)
    outcome = { failed: error instanceof Error ? error : new Error(String(error)) }
  }
  Atomics.store(works, requestAt, 0)
  const ms = performance.now() - beganMs
  parentPort?.postMessage(
    { number, ms, ...outcome } satisfies ThreadResponse,
    'failed' in outcome ? [] : transferable(outcome),
  )
  // requests that arrived during the work join the queue before the next turn
  await yieldToLoop()
  turn.release(ms)
}

parentPort?.on('message', (request: ThreadRequest) => void answer(request))
