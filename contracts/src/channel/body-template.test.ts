import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  renderTemplate,
  templateFields,
  templateProblems,
  type TemplateContent,
  type TemplateField,
} from './body-template.ts'

const valuesOf = (value: string) =>
  Object.fromEntries(templateFields.map((field) => [field, value])) as Record<TemplateField, string>

describe('a template', () => {
  test.each<[TemplateContent, string]>([
    ['json', '{"text": "{{ title }} since {{at}}", "n": [1, {"a": {"b": "{{ url }}"}}]}'],
    ['json', '"{{title}}"'],
    ['form', 'to=%2B49170&text={{ title }}%0A{{ text }}&empty='],
  ])('%s: %s is valid', (content, body) => {
    expect(templateProblems(body, content)).toEqual([])
  })

  test.each<[TemplateContent, string]>([
    ['json', '{"text": {{ title }}}'],
    ['json', '{"text": "a\\{{ title }}"}'],
    ['json', '{"text": "\\u00{{ title }}"}'],
    ['json', '{"n": 1{{ title }}}'],
    ['json', 'plain {{ title }}'],
    ['json', '{"text": "{{ title }}",}'],
    ['form', 'text={{ title }}&'],
    ['form', 'text=%{{ title }}'],
    ['form', 'text=a b'],
    ['form', '{"text": "{{ title }}"}'],
    ['form', '{{ title }}'],
  ])('%s: %s is refused', (content, body) => {
    expect(templateProblems(body, content)).toHaveLength(1)
  })

  test('names each unknown field, and a field that is not closed', () => {
    expect(templateProblems('{"a": "{{ tilte }}{{ constructor }}", "b": "{{ title"}', 'json')).toEqual([
      expect.stringContaining('names the unknown field "tilte"; the fields are event, state'),
      expect.stringContaining('"constructor"'),
      expect.stringContaining('has {{ without }}'),
    ])
  })

  test('has a bound on its fields', () => {
    const many = (count: number) => JSON.stringify('{{title}}'.repeat(count))
    expect(templateProblems(many(30), 'json')).toEqual([])
    expect(templateProblems(many(31), 'json')).toEqual(['must name at most 30 fields'])
  })

  test('that was accepted stays valid with any value, and the value arrives unchanged', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 300 })], (text) => {
      const value = text.toWellFormed()
      const json = renderTemplate('{"a": ["{{ title }}", "x{{text}}y"]}', 'json', valuesOf(value))
      expect(JSON.parse(json)).toEqual({ a: [value, `x${value}y`] })
      const form = renderTemplate('a={{ title }}&b={{ text }}', 'form', valuesOf(value))
      expect([...new URLSearchParams(form)]).toEqual([
        ['a', value],
        ['b', value],
      ])
    })
  })

  test('takes no field from a value', () => {
    const values = { ...valuesOf('t'), title: '{{ text }}$&' }
    expect(renderTemplate('"{{ title }}"', 'json', values)).toBe('"{{ text }}$&"')
  })
})
