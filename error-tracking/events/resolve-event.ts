import type { ErrorFrame } from '../contracts/error-tracking.ts'
import { cutText } from './raw/cut-text.ts'
import type { ErrorEvent } from './error-event.ts'
import { groupEvent } from './group/group-event.ts'
import { contextBytesMax } from './kept-context.ts'
import type { RawEvent, RawFrame } from './raw/raw-event.ts'
import { isRecord } from './raw/record.ts'
import { isForeign } from './raw/stack.ts'
import { scrubText } from './scrub/scrub-text.ts'
import { normalizeName } from './scrub/secret-name.ts'
import type { MinifiedStack } from './source-maps/minified-stack.ts'
import type { OriginalPlace } from './source-maps/read-source-map.ts'

const placeCharactersMax = 500
/** Frames with stored source, those near the throw. */
const sourcesMax = 10

/** The reason why a minified frame stays unchanged. */
export type Unresolved = 'missing' | 'broken' | 'unmapped' | 'bound'

const unresolvedTexts: Readonly<Record<Unresolved, string>> = {
  missing: 'no source map with this debug id existed when the event was stored',
  broken: 'the source map of this debug id cannot be read',
  unmapped: 'the source map has no entry for this position',
  bound: 'too many source maps were needed at once',
}

/** For each frame: its original place, the reason why it is unknown, or null if it is not minified. */
export type FoundPlaces = readonly (OriginalPlace | Unresolved | null)[]

/** A frame's function name without its object and without the prefix of V8, as its source may define it. */
export const ownNameOf = ({ function: name }: Pick<ErrorFrame, 'function'>): string | null => {
  const own = name?.replace(/^.*[. ]/s, '') ?? ''
  return own.length > 1 ? own : null
}

/**
 * An event with original frames from source maps, grouped by them. Without a resolved frame it keeps its
 * issue. `context.sourceMaps` has the minified frames, and the reasons for unresolved ones. Text from maps is
 * scrubbed.
 */
export const resolveEvent = (event: ErrorEvent, found: FoundPlaces): ErrorEvent => {
  const { minified, ...plain } = event
  if (minified === undefined) return plain
  const scrub = scrubberOf(minified)
  const places = event.frames.map((_, index) => {
    const each = found[index] ?? null
    return typeof each === 'string' ? null : each
  })
  const frames = event.frames.map((frame, index): ErrorFrame => {
    const place = places[index] ?? null
    if (place === null) return frame
    const file = scrub(place.file)
    return {
      file: cutText(file, placeCharactersMax),
      function: functionOf(frame, place, places[index + 1] ?? null, scrub),
      line: place.line,
      column: place.column,
      inApp: !isForeign(file) && !bundlers.test(file),
    }
  })
  const isAny = places.some((place) => place !== null)
  const resolved = { ...plain, frames }
  return {
    ...resolved,
    context: withPlaces(event, minified, found, scrub),
    grouping: isAny ? regrouped(resolved, minified, places) : event.grouping,
  }
}

/** Runtime code of a bundler. */
const bundlers = /(?:^|\/)(?:webpack|rspack|turbopack)\/(?:bootstrap|runtime)/

const scrubberOf = ({ scrub }: MinifiedStack): ((text: string) => string) => {
  const extraNames = new Set(scrub.names.map(normalizeName).filter((name) => name !== ''))
  // a map can contain characters that databases reject: U+0000 and lone surrogates
  return (text) =>
    scrubText(text.replaceAll('\0', '').toWellFormed(), {
      extraNames,
      keepAddresses: scrub.keepAddresses,
    })
}

/**
 * The original name of a function: from the call in the outer frame, else its own name if the source defines
 * it. null instead of a minified name, which changes with every build.
 */
const functionOf = (
  frame: ErrorFrame,
  place: OriginalPlace,
  outer: OriginalPlace | null,
  scrub: (text: string) => string,
): string | null => {
  const callee = outer?.callee ?? null
  if (callee !== null) return cutText(scrub(callee), placeCharactersMax)
  return place.isNamed ? ownNameOf(frame) : null
}

const regrouped = (
  event: ErrorEvent,
  minified: MinifiedStack,
  places: readonly (OriginalPlace | null)[],
): ErrorEvent['grouping'] => {
  const { isThrown, template, fingerprint, modules } = minified
  const frames = event.frames.map((frame, index): RawFrame => ({
    ...frame,
    // the module of a resolved frame is the bundle
    module: places[index] === null ? (modules[index] ?? null) : null,
    source: null,
    variables: null,
    debugId: null,
  }))
  const raw: RawEvent = {
    ...event,
    template,
    fingerprint,
    exceptions: isThrown ? [{ type: event.type, value: event.message, module: null, frames }] : [],
    frames: isThrown ? [] : frames,
    unreadable: [],
    truncated: [],
  }
  const { version, hash, culprit } = groupEvent(raw)
  // the title consists of type and message, which source maps do not change
  return { version, hash, culprit, title: event.grouping.title }
}

type Entry = { frame: number }

/** The event's context with the source of resolved frames and the result for each frame. */
const withPlaces = (
  { context, frames }: ErrorEvent,
  { debugIds }: MinifiedStack,
  found: FoundPlaces,
  scrub: (text: string) => string,
): Record<string, unknown> => {
  const resolved: Entry[] = []
  const unresolved: Entry[] = []
  const sources: Entry[] = entriesOf(context['source'], found)
  for (const [frame, each] of found.entries()) {
    if (each === null) continue
    if (typeof each === 'string') {
      unresolved.push({ frame, debugId: debugIds[frame], why: unresolvedTexts[each] } as Entry)
      continue
    }
    const { file, function: name, line, column } = frames[frame] ?? {}
    resolved.push({ frame, file, function: name, line, column } as Entry)
    if (each.source === null || isForeign(each.file) || sources.length >= sourcesMax) continue
    const { line: source, before, after } = each.source
    sources.push({
      frame,
      source: scrub(source),
      before: before.map(scrub),
      after: after.map(scrub),
    } as Entry)
  }
  const { source: _previous, ...rest } = context
  let room = contextBytesMax - sizeOf(rest) - 64
  const fitting = (entries: readonly Entry[]): Entry[] => {
    const kept: Entry[] = []
    for (const entry of entries) {
      room -= sizeOf(entry) + 1
      if (room < 0) break
      kept.push(entry)
    }
    return kept
  }
  const sourceMaps = {
    ...(resolved.length > 0 ? { minified: fitting(resolved) } : {}),
    ...(unresolved.length > 0 ? { unresolved: fitting(unresolved) } : {}),
  }
  const source = fitting(sources.toSorted((a, b) => a.frame - b.frame))
  return {
    ...rest,
    ...(Object.keys(sourceMaps).length > 0 ? { sourceMaps } : {}),
    ...(source.length > 0 ? { source } : {}),
  }
}

/** Source lines that the SDK sent for unchanged frames. */
const entriesOf = (source: unknown, found: FoundPlaces): Entry[] =>
  Array.isArray(source)
    ? (source as unknown[]).filter(
        (entry): entry is Entry =>
          isRecord(entry) &&
          typeof entry['frame'] === 'number' &&
          (found[entry['frame']] === null || typeof found[entry['frame']] === 'string'),
      )
    : []

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
