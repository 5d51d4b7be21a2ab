import { expect, test } from 'vitest'
import {
  list,
  oneOf,
  optional,
  port,
  required,
  right,
  text,
  url,
  wholeNumber,
  withDefault,
} from './setting.ts'

test.each([
  [port, '0', 0],
  [port, '65535', 65_535],
  [wholeNumber({ min: 1, max: 32 }), '32', 32],
  [oneOf('open', 'closed'), 'closed', 'closed'],
  [url('http', 'https'), 'https://a.example', 'https://a.example'],
  [url('https', 'mailto'), 'mailto:a@a.example', 'mailto:a@a.example'],
  [list('names', right), 'a, b,,c ', ['a', 'b', 'c']],
])('%o reads %j as %j', (kind, given, value) => {
  expect(kind.parse(given)).toEqual({ ok: true, value })
})

test.each([
  [port, '65536', 'must be a number from 0 to 65535, not 65536'],
  [port, '-1', 'must be a number from 0 to 65535, not -1'],
  [wholeNumber({ min: 1, max: 32 }), '0', 'must be a whole number from 1 to 32, not 0'],
  [wholeNumber({ min: 1, max: 32 }), '1.5', 'must be a whole number from 1 to 32, not 1.5'],
  [oneOf('a', 'b', 'c'), 'd', 'must be a, b or c, not d'],
  [url('smtp', 'smtps'), 'http://u:pass@a', 'must be a URL that starts with smtp:// or smtps://'],
])('%o refuses %j: %s', (kind, given, problem) => {
  expect(kind.parse(given)).toEqual({ ok: false, problems: [problem] })
})

test('an unset setting has its default, null, or a problem', () => {
  expect(withDefault(port, 8080, 'where it listens').read(null)).toEqual({ ok: true, value: 8080 })
  expect(optional(text, 'none', 'a name').read(null)).toEqual({ ok: true, value: null })
  expect(required(text, 'a name').read(null)).toEqual({ ok: false, problems: ['is required'] })
  expect(required(text, 'a name').read('x')).toEqual({ ok: true, value: 'x' })
})
