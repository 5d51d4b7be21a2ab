import { z } from 'zod'
import { Line } from '../schema/text.ts'

/** Bounds of one project's settings. */
export const scrubNamesMax = 100
export const filterPatternsMax = 50

/**
 * A name whose values are removed wherever it stands. Case and what separates its words do not matter,
 * so that a letter or a digit must be left without them.
 */
const ScrubName = Line.refine((name) => /[\p{L}\p{N}]/u.test(name), 'must have a letter or a digit')

/** A star stands for anything, every other character for itself; one of stars alone would take everything. */
const FilterPattern = Line.refine(
  (pattern) => pattern.trim() === '' || /[^*\s]/.test(pattern),
  'must have more than stars',
)
const Patterns = z.array(FilterPattern).max(filterPatternsMax)

/** What of a project's events is not wanted: one that any of these is true of is counted as `filtered`. */
export const ErrorFilters = z.strictObject({
  /** Of the whole message, or of `Type: message`. */
  messages: Patterns,
  releases: Patterns,
  environments: Patterns,
  /** Thrown by an extension of a browser. */
  browserExtensions: z.boolean(),
  /** Of a page on the reader's own machine. */
  localhost: z.boolean(),
  /** Met by a program that reads pages, as its user agent says. */
  webCrawlers: z.boolean(),
})
export type ErrorFilters = z.infer<typeof ErrorFilters>

export const noErrorFilters: ErrorFilters = {
  messages: [],
  releases: [],
  environments: [],
  browserExtensions: false,
  localhost: false,
  webCrawlers: false,
}

/** How the events of a project are taken. A change holds for events that come some moments later. */
export const ErrorSettings = z.strictObject({
  /** Scrubbed besides what always is. */
  scrubNames: z.array(ScrubName).max(scrubNamesMax),
  /** Whether e-mail and IP addresses stay. */
  keepAddresses: z.boolean(),
  filters: ErrorFilters,
})
export type ErrorSettings = z.infer<typeof ErrorSettings>
