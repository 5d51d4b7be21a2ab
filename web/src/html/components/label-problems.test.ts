import { expect, test } from 'vitest'
import { labelProblems, wordsOf } from './label-problems.ts'

const summary = (id: string, name: string): string =>
  `<a href="#${id}"><span data-label-of="${id}">${name}</span>: is missing</a>`

test.each([
  ['a label', '<label for="field-name">Your name</label>', 'Your name'],
  ['a legend', '<fieldset id="field-name"><legend>Names</legend>', 'Names'],
  ['no label', '<label for="field-name-2">Other</label>', 'Name'],
  ['an empty label', '<label for="field-name"> </label>', 'Name'],
  ['a label with signs', '<label for="field-name">$&amp; $1 &lt;b&gt;</label>', '$&amp; $1 &lt;b&gt;'],
])('a problem of a field with %s', (_what, field, said) => {
  expect(labelProblems(summary('field-name', 'Name') + field)).toBe(
    `<a href="#field-name"><span>${said}</span>: is missing</a>${field}`,
  )
})

test('text from a visitor is never taken as a mark', () => {
  const page = '<p>&lt;span data-label-of=&quot;field-name&quot;&gt;x&lt;/span&gt;</p>'
  expect(labelProblems(page)).toBe(page)
})

test.each([
  ['currentPassword', 'Current password'],
  ['config.webhookUrl', 'Config webhook url'],
  ['regions[1]', 'Regions 1'],
  ['', ''],
])('%j in words is %j', (name, words) => {
  expect(wordsOf(name)).toBe(words)
})
