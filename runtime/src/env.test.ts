import { expect, test } from 'vitest'
import { environmentHelp, environmentTable, needs, readEnvironment, secretsOf, together } from './env.ts'
import { optional, port, required, text, url, wholeNumber, withDefault } from './setting.ts'

const settings = {
  PORT: withDefault(port, 8080, 'Port of the REST API.'),
  DATABASE_URL: required(url('postgres'), 'The database.', { isSecret: true }),
  TLS_CERT: optional(text, 'no TLS', 'File with the certificate.'),
  TLS_KEY: optional(text, 'no TLS', 'File with its key.'),
  SPOOL_BYTES_MAX: withDefault(wholeNumber({ min: 1, max: 99, unit: 'bytes' }), 9, 'Size | bound.'),
}
const rules = [together('TLS_CERT', 'TLS_KEY'), needs('TLS_KEY', 'PORT')]
const database = { DATABASE_URL: 'postgres://user:secret@db/mesh' }

test('trims values, and treats empty ones as not set', () => {
  const read = readEnvironment(settings, { ...database, PORT: ' 81 ', TLS_CERT: ' ' }, rules)
  expect(read).toEqual({
    ok: true,
    values: {
      PORT: 81,
      DATABASE_URL: 'postgres://user:secret@db/mesh',
      TLS_CERT: null,
      TLS_KEY: null,
      SPOOL_BYTES_MAX: 9,
    },
  })
})

test('lists all problems at once, with names and without secrets', () => {
  const wrong = { PORT: 'x', DATABASE_URL: 'http://user:secret@db', TLS_CERT: 'a.pem' }
  expect(readEnvironment(settings, wrong, rules)).toEqual({
    ok: false,
    problems: [
      'PORT must be a number from 0 to 65535, not x',
      'DATABASE_URL must be a URL that starts with postgres://',
      'TLS_KEY is required when TLS_CERT is set',
    ],
  })
})

test('reports a missing required variable', () => {
  expect(readEnvironment(settings, {})).toEqual({
    ok: false,
    problems: ['DATABASE_URL is required'],
  })
})

test('the table lists all variables with default, value, unit and meaning', () => {
  expect(
    environmentTable(settings)
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' ')),
  ).toEqual([
    '| Variable | Default | Value | Unit | Meaning |',
    '| --- | --- | --- | --- | --- |',
    '| `PORT` | 8080 | number, 0 to 65535 | | Port of the REST API. |',
    '| `DATABASE_URL` | required | URL, postgres:// | | The database. Secret. |',
    '| `TLS_CERT` | no TLS | text | | File with the certificate. |',
    '| `TLS_KEY` | no TLS | text | | File with its key. |',
    '| `SPOOL_BYTES_MAX` | 9 | number, 1 to 99 | bytes | Size \\| bound. |',
  ])
})

test('help lists all variables, wrapped to the width of a terminal', () => {
  const meaning = 'word '.repeat(40).trim()
  const lines = environmentHelp({ ...settings, LONG: withDefault(text, 'x', meaning) }).split('\n')
  expect(lines[1]).toBe('  DATABASE_URL     The database. (required)')
  expect(lines.length).toBeGreaterThan(Object.keys(settings).length + 1)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
})

test('only credentials can come from a file', () => {
  expect(secretsOf(settings)).toEqual(['DATABASE_URL'])
})
