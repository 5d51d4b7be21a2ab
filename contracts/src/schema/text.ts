import { z } from 'zod'
import { limits } from './limits.ts'

/** One line of text for people: a name, a title. Stored unchanged; must not be blank. */
export const Line = z
  .string()
  .max(limits.nameCharactersMax)
  .refine((text) => text.trim() !== '', 'must not be blank')
  // eslint-disable-next-line no-control-regex
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), 'must not have control characters')

/** Several lines of text for people. Shown as text, never as markup. */
export const Prose = z
  .string()
  .max(limits.proseCharactersMax)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .refine((text) => !text.includes('\u0000'), 'must not have NUL characters')

/** A URL for a link: http or https, so that a browser never runs it. */
export const LinkUrl = z
  .string()
  .max(limits.urlCharactersMax)
  .refine((text) => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text), 'must be an http or https URL')

export const emailCharactersMax = 254
export const Email = z.email('must be an e-mail address').max(emailCharactersMax)

/** A path segment: lower-case letters, digits and single hyphens between them. */
export const Slug = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')

/** ISO 8601 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 })
