import type { ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
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
/** Frames whose source is kept, those near the throw. */
const sourcesMax = 10

/** Why a frame that names a built file stays as it came. */
export type Unresolved = 'missing' | 'broken' | 'unmapped' | 'bound'

const unresolvedWords: Readonly<Record<Unresolved, string>> = {
  missing: 'no source map with this debug id existed when the event was stored',
  broken: 'the source map of this debug id cannot be read',
  unmapped: 'the source map says nothing of this place',
  bound: 'too many source maps were needed at once',
}

/** Of each frame: where it comes from, why that is not known, or null where it names no built file. */
export type FoundPlaces = readonly (OriginalPlace | Unresolved | null)[]

/** The name by which a source may define a frame's function: without its object, and what V8 puts before. */
export const ownNameOf = ({ function: name }: Pick<ErrorFrame, 'function'>): string | null => {
  const own = name?.replace(/^.*[. ]/s, '') ?? ''
  return own.length > 1 ? own : null
}

/**
 * An event with its frames as source maps say that they were written, and grouped by those. Where no
 * frame is found it keeps its issue; `context.sourceMaps` says which frames were read, what they were,
 * and why others were not. What a map adds passes the scrubber. Pure.
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

/** What a bundler adds to a bundle. */
const bundlers = /(?:^|\/)(?:webpack|rspack|turbopack)\/(?:bootstrap|runtime)/

const scrubberOf = ({ scrub }: MinifiedStack): ((text: string) => string) => {
  const extraNames = new Set(scrub.names.map(normalizeName).filter((name) => name !== ''))
  // a map may hold what stores refuse: U+0000, and half of a pair
  return (text) =>
    scrubText(text.replaceAll('\0', '').toWellFormed(), {
      extraNames,
      keepAddresses: scrub.keepAddresses,
    })
}

/**
 * What a function was called before it was minified: as the frame outside of it calls it; else by its
 * own name where the source has that. The short name that a build gave is nobody's, and another in the
 * next build: rather none.
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
    // the module of a frame that was read is the bundle's
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
  // by type and message, which no source map changes
  return { version, hash, culprit, title: event.grouping.title }
}

type Entry = { frame: number }

/** The event's context with the sources of the frames that were read, and what became of each. */
const withPlaces = (
  { context, frames }: ErrorEvent,
  { debugIds }: MinifiedStack,
  found: FoundPlaces,
  scrub: (text: string) => string,
): Record<string, unknown> => {
  const read: Entry[] = []
  const unread: Entry[] = []
  const sources: Entry[] = entriesOf(context['source'], found)
  for (const [frame, each] of found.entries()) {
    if (each === null) continue
    if (typeof each === 'string') {
      unread.push({ frame, debugId: debugIds[frame], why: unresolvedWords[each] } as Entry)
      continue
    }
    const { file, function: name, line, column } = frames[frame] ?? {}
    read.push({ frame, file, function: name, line, column } as Entry)
    if (each.source === null || isForeign(each.file) || sources.length >= sourcesMax) continue
    const { line: source, before, after } = each.source
    sources.push({
      frame,
      source: scrub(source),
      before: before.map(scrub),
      after: after.map(scrub),
    } as Entry)
  }
  const { source: _former, ...rest } = context
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
    ...(read.length > 0 ? { minified: fitting(read) } : {}),
    ...(unread.length > 0 ? { unresolved: fitting(unread) } : {}),
  }
  const source = fitting(sources.toSorted((a, b) => a.frame - b.frame))
  return {
    ...rest,
    ...(Object.keys(sourceMaps).length > 0 ? { sourceMaps } : {}),
    ...(source.length > 0 ? { source } : {}),
  }
}

/** Source that the SDK sent, of frames that stay as they came. */
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
