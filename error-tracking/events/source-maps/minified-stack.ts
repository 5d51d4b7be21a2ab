import { hash } from 'node:crypto'
import { z } from 'zod'
import type { RawEvent } from '../raw/raw-event.ts'
import type { ScrubRules } from '../scrub/scrub.ts'
import { stackOf, thrownLast } from '../raw/stack.ts'

/**
 * The data for grouping that is not in the stored fields, so that an event can be grouped again after source
 * maps resolved its frames.
 */
export const MinifiedStack = z.object({
  /** The debug id of each stored frame, in order; null without one. */
  debugIds: z.array(z.string().nullable()),
  modules: z.array(z.string().nullable()),
  /** False for an event without an exception, which is a message. */
  isThrown: z.boolean(),
  template: z.string().nullable(),
  fingerprint: z.array(z.string()).nullable(),
  /** The project's scrub rules at the arrival, for source lines from maps. */
  scrub: z.object({ names: z.array(z.string()), keepAddresses: z.boolean() }),
})
export type MinifiedStack = z.infer<typeof MinifiedStack>

const partCharactersMax = 200
const templateCharactersMax = 1_000
const moduleCharactersMax = 200

/** null for an event without a frame that has a debug id and a position. */
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

/** A part of a fingerprint. A long one is replaced by its hash. */
const short = (part: string): string => (part.length <= partCharactersMax ? part : hash('sha256', part))
