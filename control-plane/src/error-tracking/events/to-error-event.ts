import type { ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { cutText } from './raw/cut-text.ts'
import type { ErrorEvent } from './error-event.ts'
import { groupEvent } from './group/group-event.ts'
import { keptContext } from './kept-context.ts'
import type { RawEvent, RawFrame } from './raw/raw-event.ts'
import { defaultScrubRules } from './scrub/scrub.ts'
import type { ScrubRules } from './scrub/scrub.ts'
import { minifiedStackOf } from './source-maps/minified-stack.ts'
import { tagsMax } from './truncate/truncate-event.ts'
import { isInApp, stackOf, thrownLast } from './raw/stack.ts'

/** Bounds of what an event keeps; `contextBytesMax` is that of its context. */
const eventBounds = {
  messageCharactersMax: 8_192,
  /** Release, environment, transaction and type: a search takes as many for a release. */
  labelCharactersMax: limits.nameCharactersMax,
  placeCharactersMax: 500,
  framesMax: 100,
  tagsMax,
} as const

/**
 * A scrubbed event as it is stored: grouped, and cut to what is kept. Pure.
 * @param rules by which it was scrubbed; what a source map adds later is scrubbed by them too
 */
export const toErrorEvent = (
  raw: RawEvent,
  projectId: string,
  rules: ScrubRules = defaultScrubRules,
): ErrorEvent => {
  const thrown = thrownLast(raw)
  const stack = stackOf(raw)
  const minified = minifiedStackOf(raw, eventBounds.framesMax, rules)
  return {
    eventId: raw.eventId,
    projectId,
    at: raw.at,
    receivedAt: raw.receivedAt,
    level: raw.level,
    platform: cutText(raw.platform, 64),
    release: label(raw.release),
    environment: label(raw.environment),
    transaction: label(raw.transaction),
    type: label(thrown?.type ?? null),
    message: cutText(thrown?.value ?? raw.message ?? '', eventBounds.messageCharactersMax),
    frames: stack.slice(0, eventBounds.framesMax).map((frame) => describeFrame(frame, stack)),
    tags: tagsOf(raw.tags),
    context: keptContext(raw),
    grouping: groupEvent(raw),
    ...(minified === null ? {} : { minified }),
  }
}

const label = (text: string | null): string | null =>
  text === null ? null : cutText(text, eventBounds.labelCharactersMax)

const describeFrame = (frame: RawFrame, stack: readonly RawFrame[]): ErrorFrame => ({
  file: place(frame.file ?? frame.module),
  function: place(frame.function),
  line: frame.line,
  column: frame.column,
  inApp: isInApp(frame, stack),
})

const place = (text: string | null): string | null =>
  text === null ? null : cutText(text, eventBounds.placeCharactersMax)

const tagsOf = (tags: Readonly<Record<string, string>>): Record<string, string> => {
  const { tagsMax, labelCharactersMax } = eventBounds
  const kept = Object.entries(tags).slice(0, tagsMax)
  return Object.fromEntries(
    kept.map(([key, value]) => [cutText(key, labelCharactersMax), cutText(value, labelCharactersMax)]),
  )
}
