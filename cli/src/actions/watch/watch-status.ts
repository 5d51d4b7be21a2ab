import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { AccountEvent, Flip } from '@probe-mesh/contracts/mesh/events'
import { fail } from '../../api/failure.ts'
import type { FollowEvents } from '../../api/follow-events.ts'
import { readRows } from '../../api/check-rows.ts'
import { readDetails } from '../../api/named-checks.ts'
import type { Api } from '../../api/open-api.ts'
import type { Result } from '../../api/request.ts'
import type { Context, ExitCode } from '../../terminal/context.ts'
import { jsonView, lineView } from './live-view.ts'
import { screenView } from './screen-view.ts'
import { afterFlip, afterReading, changesBetween, type Watched } from './watched.ts'

/** What `--watch` needs besides the context. */
export type Watching = {
  followEvents: FollowEvents
  /** Height of the terminal in lines. */
  rows(): number
}

/** Flips that are queued during a read; further ones are covered by the next read. */
const queuedMax = 10_000
/** Minimum time between reads triggered by readings: a key has 120 reads a minute. */
const rereadPaceMs = 2_000

/**
 * Shows the status of checks until the user stops it, and then exits 0. Reads everything again once
 * the stream is open, so that no change is missed in between.
 */
export const watchStatus = async (
  context: Context,
  api: Api,
  options: { json: boolean },
  { name, followEvents, rows }: Watching & { name: string | undefined },
): Promise<ExitCode> => {
  const { now, pause } = context
  const isScreen = context.out.isTerminal && !options.json
  const view = options.json ? jsonView(context) : isScreen ? screenView(context, rows) : lineView(context)
  const first = await readWatched(api, name)
  if (!first.ok) return context.signal.aborted ? 0 : fail(context, options, first.failures)

  let watched: Watched = {
    ...first.value,
    newest: new Map(),
    link: 'connecting',
    updatedAtMs: now(),
  }
  const update = (next: Watched): void => {
    watched = { ...next, updatedAtMs: now() }
  }
  const broken = new AbortController()
  const signal = anySignal([context.signal, broken.signal])
  const queued: Flip[] = []
  let isReading = false
  let isDue = false

  const applyFlip = (flip: Flip): void => {
    update(afterFlip(watched, flip))
    view.flipped(watched, flip)
  }
  /** Runs one read at a time; requests during a read are served by the next one. */
  const reread = async (): Promise<void> => {
    isDue = true
    if (isReading) return
    isReading = true
    try {
      while (isDue) {
        isDue = false
        const read = await readWatched(api, name)
        if (read.ok) {
          const queuedIds = new Set(queued.map(({ checkId }) => checkId))
          const changes = changesBetween(watched.checks, read.value.checks, queuedIds)
          update({ ...watched, ...read.value })
          view.reread(watched, changes)
        }
        for (const flip of queued.splice(0)) applyFlip(flip)
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
      update(afterReading(watched, checkId, event.reading))
      view.measured(watched)
    } else if (!isReading) applyFlip(event.flip)
    else if (queued.length < queuedMax) queued.push(event.flip)
    else isDue = true
    // only a read has the status by region
    if (isScreen && watched.details !== null) rereadSoon()
  }

  view.begin(watched)
  try {
    const failure = await followEvents({
      settings: api.settings,
      fetch: context.fetch,
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
    if (failure !== null) return fail(context, options, [failure])
  } finally {
    view.end(watched)
  }
  if (broken.signal.aborted && !context.signal.aborted) throw broken.signal.reason
  return 0
}

const readWatched = async (
  api: Api,
  name: string | undefined,
): Promise<Result<Pick<Watched, 'checks' | 'details'>>> => {
  if (name === undefined) {
    const listed = await readRows(api)
    return listed.ok ? { ok: true, value: { checks: listed.value, details: null } } : listed
  }
  const read = await readDetails(api, name)
  return read.ok ? { ok: true, value: { checks: read.value, details: read.value } } : read
}
