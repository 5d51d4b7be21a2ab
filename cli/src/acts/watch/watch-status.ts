import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { AccountEvent, Flip } from '@probe-mesh/contracts/mesh/events'
import type { Asked } from '../../api/ask.ts'
import { fail } from '../../api/failure.ts'
import type { FollowEvents } from '../../api/follow-events.ts'
import type { Api } from '../../api/open-api.ts'
import type { ExitCode } from '../../apply/exit-code.ts'
import type { World } from '../../terminal/world.ts'
import { jsonView, lineView } from './live-view.ts'
import { readAllChecks, readDetails } from '../named-checks.ts'
import { screenView } from './screen-view.ts'
import { afterFlip, afterReading, changesBetween } from './watched.ts'
import type { Watched } from './watched.ts'

/** What `--watch` needs beside the world. */
export type Watching = {
  followEvents: FollowEvents
  /** Lines of the terminal. */
  rows(): number
}

/** Flips that wait while all is read; beyond, they are in what is read next. */
const heldMax = 10_000
/** Between two reads that readings ask for: a key has 120 a minute. */
const rereadPaceMs = 2_000

/**
 * Shows how checks stand until the user ends it, which is what it was asked: it exits 0. All is read
 * when the stream stands, so that nothing is missed between the two.
 */
export const watchStatus = async (
  world: World,
  api: Api,
  options: { json: boolean },
  { name, followEvents, rows }: Watching & { name: string | undefined },
): Promise<ExitCode> => {
  const { now, pause } = world
  const isScreen = world.out.isTerminal && !options.json
  const view = options.json ? jsonView(world) : isScreen ? screenView(world, rows) : lineView(world)
  const first = await readWatched(api, name)
  if (!first.ok) return world.signal.aborted ? 0 : fail(world, options, first.failures)

  let watched: Watched = { ...first.value, newest: new Map(), link: 'connecting', heardAtMs: now() }
  const know = (next: Watched): void => {
    watched = { ...next, heardAtMs: now() }
  }
  const broken = new AbortController()
  const signal = anySignal([world.signal, broken.signal])
  const held: Flip[] = []
  let isReading = false
  let isDue = false

  const flip = (told: Flip): void => {
    know(afterFlip(watched, told))
    view.flipped(watched, told)
  }
  /** One read at a time; what asks for one meanwhile is answered by the next. */
  const reread = async (): Promise<void> => {
    isDue = true
    if (isReading) return
    isReading = true
    try {
      while (isDue) {
        isDue = false
        const read = await readWatched(api, name)
        if (read.ok) {
          const told = new Set(held.map(({ checkId }) => checkId))
          const changes = changesBetween(watched.checks, read.value.checks, told)
          know({ ...watched, ...read.value })
          view.reread(watched, changes)
        }
        for (const told of held.splice(0)) flip(told)
        if (isDue) await pause(rereadPaceMs)
      }
    } finally {
      isReading = false
    }
  }
  const rereadSoon = (): void => {
    reread().catch((error: unknown) => broken.abort(error))
  }
  const onEvent = (event: AccountEvent): void => {
    if (event.kind === 'incident') return
    const checkId = event.kind === 'flip' ? event.flip.checkId : event.checkId
    const isKnown = watched.checks.some(({ id }) => id === checkId)
    if (!isKnown) return name === undefined ? rereadSoon() : undefined
    if (event.kind === 'reading') {
      know(afterReading(watched, checkId, event.reading))
      view.measured(watched)
    } else if (!isReading) flip(event.flip)
    else if (held.length < heldMax) held.push(event.flip)
    else isDue = true
    // regions are only in what is read
    if (isScreen && watched.details !== null) rereadSoon()
  }

  view.begin(watched)
  try {
    const failure = await followEvents({
      settings: api.settings,
      fetch: world.fetch,
      signal,
      onEvent,
      onState: (link) => {
        watched = { ...watched, link }
        view.linked(watched)
        if (link === 'connected') rereadSoon()
      },
      pause,
      now,
    })
    if (failure !== null) return fail(world, options, [failure])
  } finally {
    view.end(watched)
  }
  if (broken.signal.aborted && !world.signal.aborted) throw broken.signal.reason
  return 0
}

const readWatched = async (
  api: Api,
  name: string | undefined,
): Promise<Asked<Pick<Watched, 'checks' | 'details'>>> => {
  if (name === undefined) {
    const listed = await readAllChecks(api)
    return listed.ok ? { ok: true, value: { checks: listed.value, details: null } } : listed
  }
  const read = await readDetails(api, name)
  return read.ok ? { ok: true, value: { checks: read.value, details: read.value } } : read
}
