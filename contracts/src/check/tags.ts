import { z } from 'zod'

export const tagsPerCheckMax = 20
const tagCharactersMax = 40

/** One tag: a short text without commas and control characters, so that a list of tags fits into one field. */
export const Tag = z
  .string()
  .trim()
  .min(1, 'must not be blank')
  .max(tagCharactersMax)
  // oxlint-disable-next-line no-control-regex -- control characters are what it refuses
  .regex(/^[^,\u0000-\u001f\u007f]*$/, 'must not contain commas or control characters')

/** The tags of a check. Two tags that differ only in case are the same tag. */
export const Tags = z
  .array(Tag)
  .max(tagsPerCheckMax)
  .refine((tags) => new Set(tags.map(foldTag)).size === tags.length, 'a tag is named twice')

/** What two spellings of one tag have in common. */
export const foldTag = (tag: string): string => tag.toLowerCase()
