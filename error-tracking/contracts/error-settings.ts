import { z } from 'zod'
import { Line } from '@probe-mesh/contracts/schema/text'

/** Limits of one project's settings. */
export const scrubNamesMax = 100
export const filterPatternsMax = 50

/**
 * A field name whose values are removed everywhere. Case and word separators are ignored, so the name needs a
 * letter or a digit.
 */
const ScrubName = Line.refine((name) => /[\p{L}\p{N}]/u.test(name), 'must have a letter or a digit')

/** A star matches any text, other characters match themselves. Stars alone would match everything. */
const FilterPattern = Line.refine(
  (pattern) => pattern.trim() === '' || /[^*\s]/.test(pattern),
  'must have more than stars',
)
const Patterns = z.array(FilterPattern).max(filterPatternsMax)

/** Filters of a project. An event that matches any of them is dropped and counted as `filtered`. */
export const ErrorFilters = z.strictObject({
  /** Matched against the whole message or `Type: message`. */
  messages: Patterns,
  releases: Patterns,
  environments: Patterns,
  /** Errors of browser extensions. */
  browserExtensions: z.boolean(),
  /** Errors of pages on localhost. */
  localhost: z.boolean(),
  /** Errors of web crawlers, by user agent. */
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

/** The processing of a project's events. A change takes effect after a few seconds. */
export const ErrorSettings = z.strictObject({
  /** Scrubbed in addition to the built-in names. */
  scrubNames: z.array(ScrubName).max(scrubNamesMax),
  /** Whether to keep e-mail and IP addresses. */
  keepAddresses: z.boolean(),
  filters: ErrorFilters,
})
export type ErrorSettings = z.infer<typeof ErrorSettings>
