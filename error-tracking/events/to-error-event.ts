import type { ErrorFrame } from '../contracts/error-tracking.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { cutText } from './raw/cut-text.ts'
import type { ErrorEvent } from './error-event.ts'
import { groupEvent } from './group/group-event.ts'
import { keptContext } from './kept-context.ts'
import type { RawEvent, RawFrame } from './raw/raw-event.ts'
import { defaultScrubRules, type ScrubRules } from './scrub/scrub.ts'
import { minifiedStackOf } from './source-maps/minified-stack.ts'
import { tagsMax } from './truncate/truncate-event.ts'
import { isInApp, stackOf, thrownLast } from './raw/stack.ts'

/** Limits of a stored event. `contextBytesMax` limits its context. */
const eventBounds = {
  messageCharactersMax: 8_192,
  /** Release, environment, transaction and type. A search accepts releases of the same length. */
  labelCharactersMax: limits.nameCharactersMax,
  placeCharactersMax: 500,
  framesMax: 100,
  tagsMax,
} as const

/**
 * Groups a scrubbed event and truncates it for storage.
 * @param rules of the scrubber, which also scrubs text from source maps later
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
