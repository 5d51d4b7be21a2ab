import type { Intent } from '../model/intent.ts'
import { reduce } from '../model/reduce.ts'
import type { FeedEvent, TopEvent } from '../model/reduce.ts'
import { newTopState } from '../model/state.ts'
import type { TopState } from '../model/state.ts'

/** At most so often is what came from the API taken in: one frame for all of it. */
const frameMs = 100
/** Ages, and with them freshness, pass without any event. */
const tickMs = 1_000
/** Events that wait for a frame; more are dropped and counted. */
const waitingMax = 20_000

/** The state over time: events in batches, keys at once. */
export type TopStore = {
  now(): number
  /** With everything that was told so far, also what is not on the screen yet. */
  state(): TopState
  /** What is on the screen; another object only where there is something to draw. */
  shown(): { state: TopState; hereMs: number }
  subscribe(listener: () => void): () => void
  tell(event: FeedEvent): void
  act(intent: Intent): void
  close(): void
}

export const createTopStore = (now: () => number): TopStore => {
  let state = newTopState(now())
  let shown = { state, hereMs: now() }
  let waiting: FeedEvent[] = []
  let dropped = 0
  let frame: NodeJS.Timeout | undefined
  const listeners = new Set<() => void>()

  const show = (): void => {
    shown = { state, hereMs: now() }
    for (const listener of listeners) listener()
  }
  const takeIn = (): void => {
    const events: TopEvent[] = merged(waiting)
    if (dropped > 0) events.push({ kind: 'dropped', count: dropped })
    waiting = []
    dropped = 0
    for (const event of events) state = reduce(state, event, now())
  }
  const tick = setInterval(show, tickMs)

  return {
    now,
    state: () => {
      takeIn()
      return state
    },
    shown: () => shown,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (event) => {
      if (waiting.length >= waitingMax) dropped += 1
      else waiting.push(event)
      frame ??= setTimeout(() => {
        frame = undefined
        takeIn()
        show()
      }, frameMs)
    },
    act: (intent) => {
      takeIn()
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

/** Neighbours that were told of one by one become one event. */
const merged = (events: readonly FeedEvent[]): TopEvent[] => {
  const all: TopEvent[] = []
  let told: Extract<FeedEvent, { kind: 'told' }>['events'][number][] | null = null
  for (const event of events) {
    if (event.kind !== 'told') {
      told = null
      all.push(event)
    } else if (told === null) {
      told = [...event.events]
      all.push({ kind: 'told', events: told })
    } else told.push(...event.events)
  }
  return all
}
