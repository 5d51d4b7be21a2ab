import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { foldTag, Tag, tagCharactersMax, Tags, tagsPerCheckMax, withoutTag, withTag } from './tags.ts'

const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `t${n}`)

test.each<[string, string[], string[] | null]>([
  ['keeps case and order', ['Shop', 'prod eu'], ['Shop', 'prod eu']],
  ['takes letters and digits of any script', ['Größe', '監視', '2nd'], ['Größe', '監視', '2nd']],
  ['takes the signs of groups', ['team:shop', 'eu/prod', 'v1.2_b-3', 'a@b+c#d&e'], null],
  ['trims', ['  shop '], ['shop']],
  ['stores several spaces as one', ['prod   eu'], ['prod eu']],
  ['stores a composed letter once', ['Gro\u0308ße'], ['Größe']],
  ['takes a tag of the longest length', ['x'.repeat(tagCharactersMax)], null],
  ['takes the most tags', many(tagsPerCheckMax), null],
])('a list of tags %s', (_, tags, stored) => {
  expect(Tags.parse(tags)).toEqual(stored ?? tags)
})

test.each<[string, unknown]>([
  ['a tag of one character too many', ['x'.repeat(tagCharactersMax + 1)]],
  ['an empty tag', ['']],
  ['a blank tag', [' \t ']],
  ['a comma', ['a,b']],
  ['a control character', ['a\u0007']],
  ['a line break', ['a\nb']],
  ['an invisible character', ['a\u200bb']],
  ['a change of direction', ['a\u202eb']],
  ['half a character', ['a\ud83d']],
  ['an emoji', ['🔥']],
  ['a sign in front', ['-prod']],
  ['markup', ['<b>']],
  ['one tag in two spellings', ['Prod', 'prod']],
  ['one tag in two spellings, one of them with spaces', ['prod', ' PROD ']],
  ['one tag too many', many(tagsPerCheckMax + 1)],
  ['a text', 'prod'],
  ['a number', [1]],
  ['null', null],
])('a list of tags refuses %s', (_, tags) => {
  expect(Tags.safeParse(tags).success).toBe(false)
})

describe('any tag', () => {
  const written = fc.string({ unit: 'grapheme', maxLength: 45 })
  const tag = fc
    .stringMatching(/^[A-Za-z0-9éñ監][A-Za-z0-9éñ監 ._:/@+#&-]{0,12}$/)
    .map((text) => Tag.parse(text))
  const list = fc.uniqueArray(tag, { maxLength: tagsPerCheckMax, selector: foldTag })

  test('is stored in a form that is stored unchanged', () => {
    forAll([written], { numRuns: 1_000 }, (text) => {
      const parsed = Tag.safeParse(text)
      if (parsed.success) expect(Tag.parse(parsed.data)).toBe(parsed.data)
    })
  })

  test('added twice is there once, and other tags keep their order', () => {
    forAll([list, tag], (tags, added) => {
      const once = withTag(tags, added)
      expect(withTag(once, added.toUpperCase())).toBe(once)
      expect(once.slice(0, tags.length)).toEqual(tags)
      expect(once.filter((each) => foldTag(each) === foldTag(added))).toHaveLength(1)
    })
  })

  test('removed in any spelling leaves exactly the others', () => {
    forAll([list, tag], (tags, removed) => {
      const left = withoutTag(withTag(tags, removed), removed.toUpperCase())
      expect(left).toEqual(tags.filter((each) => foldTag(each) !== foldTag(removed)))
      expect(withoutTag(left, removed)).toBe(left)
    })
  })
})
