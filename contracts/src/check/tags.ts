import { z } from 'zod'

export const tagsPerCheckMax = 20
export const tagCharactersMax = 40

/**
 * One tag: letters and digits of any script, spaces, and signs that people group by, such as `team:shop` and
 * `eu/prod`. No comma, so that a list of tags fits into one field. Two texts that look the same are stored the
 * same (S-224).
 */
export const Tag = z
  .string()
  .overwrite((text) => text.normalize('NFC').replace(/ +/g, ' ').trim())
  .min(1, 'must not be blank')
  .max(tagCharactersMax)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/@+#&-]*$/u,
    'must start with a letter or digit and contain only letters, digits, spaces and - _ . : / @ + # &',
  )

/** The tags of a check. Two tags that differ only in case are the same tag. */
export const Tags = z
  .array(Tag)
  .max(tagsPerCheckMax)
  .refine((tags) => new Set(tags.map(foldTag)).size === tags.length, 'a tag is named twice')

/** The common form of all spellings of a tag. */
export const foldTag = (tag: string): string => tag.toLowerCase()

/** The tags with one more; a spelling that is there stays. */
export const withTag = (tags: readonly string[], tag: string): readonly string[] =>
  hasTag(tags, tag) ? tags : [...tags, tag]

/** The tags without one, in any spelling. */
export const withoutTag = (tags: readonly string[], tag: string): readonly string[] =>
  hasTag(tags, tag) ? tags.filter((each) => foldTag(each) !== foldTag(tag)) : tags

const hasTag = (tags: readonly string[], tag: string): boolean =>
  tags.some((each) => foldTag(each) === foldTag(tag))
