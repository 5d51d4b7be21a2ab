import { hash } from 'node:crypto'
import { z } from 'zod'
import type { RawEvent } from '../raw/raw-event.ts'
import type { ScrubRules } from '../scrub/scrub.ts'
import { stackOf, thrownLast } from '../raw/stack.ts'

/**
 * What grouping needs of an event besides the fields that are stored, so that it can be done again once
 * its frames are read by source maps.
 */
export const MinifiedStack = z.object({
  /** Of each kept frame, in their order; null where it names no built file. */
  debugIds: z.array(z.string().nullable()),
  modules: z.array(z.string().nullable()),
  /** Whether an exception was thrown: else the event is a message. */
  isThrown: z.boolean(),
  template: z.string().nullable(),
  fingerprint: z.array(z.string()).nullable(),
  /** Of the project when the event came: lines of source pass them. */
  scrub: z.object({ names: z.array(z.string()), keepAddresses: z.boolean() }),
})
export type MinifiedStack = z.infer<typeof MinifiedStack>

const partCharactersMax = 200
const templateCharactersMax = 1_000
const moduleCharactersMax = 500

/** Of an event of which no frame names a built file and its place in it: null. Pure. */
export const minifiedStackOf = (
  raw: RawEvent,
  framesMax: number,
  { names, keepAddresses }: ScrubRules,
): MinifiedStack | null => {
  const frames = stackOf(raw).slice(0, framesMax)
  const debugIds = frames.map(({ debugId, line, column }) =>
    line === null || line < 1 || column === null ? null : debugId,
  )
  if (debugIds.every((debugId) => debugId === null)) return null
  return {
    debugIds,
    modules: frames.map(({ module }) => module?.slice(0, moduleCharactersMax) ?? null),
    isThrown: thrownLast(raw) !== undefined,
    template: raw.template?.slice(0, templateCharactersMax) ?? null,
    fingerprint: raw.fingerprint?.map(short) ?? null,
    scrub: { names: [...names], keepAddresses },
  }
}

/** A part of a fingerprint: of a long one a hash tells it from others as well. */
const short = (part: string): string => (part.length <= partCharactersMax ? part : hash('sha256', part))
