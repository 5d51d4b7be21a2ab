import type { Intent } from '../model/intent.ts'
import { reduce, type FeedEvent, type TopEvent } from '../model/reduce.ts'
import { newTopState, type Sort, type TopState } from '../model/state.ts'

/** Events of the API are applied at most this often, in one frame. */
const frameMs = 100
/** Ages and freshness change without events. */
const tickMs = 1_000
/** Events that wait for a frame; further ones are dropped and counted. */
const waitingMax = 20_000

/** The state over time: events are batched, keys apply at once. */
export type TopStore = {
  now(): number
  /** Includes every event so far, even if it is not on the screen yet. */
  state(): TopState
  /** What is on the screen; a new object only if something changed. */
  shown(): { state: TopState; localMs: number }
  subscribe(listener: () => void): () => void
  dispatch(event: FeedEvent): void
  act(intent: Intent): void
  close(): void
}

export const createTopStore = (now: () => number, sort: Sort = 'status'): TopStore => {
  let state: TopState = { ...newTopState(now()), sort }
  let shown = { state, localMs: now() }
  let waiting: FeedEvent[] = []
  let dropped = 0
  let frame: NodeJS.Timeout | undefined
  const listeners = new Set<() => void>()

  const show = (): void => {
    shown = { state, localMs: now() }
    for (const listener of listeners) listener()
  }
  const applyWaiting = (): void => {
    const events: TopEvent[] = batched(waiting)
    if (dropped > 0) events.push({ kind: 'dropped', count: dropped })
    waiting = []
    dropped = 0
    for (const event of events) state = reduce(state, event, now())
  }
  const tick = setInterval(show, tickMs)

  return {
    now,
    state: () => {
      applyWaiting()
      return state
    },
    shown: () => shown,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispatch: (event) => {
      if (waiting.length >= waitingMax) dropped += 1
      else waiting.push(event)
      frame ??= setTimeout(() => {
        frame = undefined
        applyWaiting()
        show()
      }, frameMs)
    },
    act: (intent) => {
      applyWaiting()
      state = reduce(state, intent, now())
      show()
    },
    close: () => {
      clearTimeout(frame)
      clearInterval(tick)
      listeners.clear()
    },
  }
}

/** Joins consecutive event batches. */
const batched = (events: readonly FeedEvent[]): TopEvent[] => {
  const all: TopEvent[] = []
  let batch: Extract<FeedEvent, { kind: 'events' }>['events'][number][] | null = null
  for (const event of events) {
    if (event.kind !== 'events') {
      batch = null
      all.push(event)
    } else if (batch === null) {
      batch = [...event.events]
      all.push({ kind: 'events', events: batch })
    } else batch.push(...event.events)
  }
  return all
}
