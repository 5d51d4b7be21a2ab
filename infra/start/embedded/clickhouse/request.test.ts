import { describe, expect, test } from 'vitest'
import { isAuthorized, parseStatement } from './request.ts'

const account = { user: 'mesh', password: 'pass:word' }
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

test.each([
  ['Basic', basic('mesh:pass:word'), true],
  ['the headers of ClickHouse', { 'x-clickhouse-user': 'mesh', 'x-clickhouse-key': 'pass:word' }, true],
  ['a wrong password', basic('mesh:pass:wor'), false],
  ['a wrong user', basic('mes:pass:word'), false],
  ['no password', basic('mesh'), false],
  ['an empty one', basic('mesh:'), false],
  ['another scheme', { authorization: 'Bearer pass:word' }, false],
  ['only a key', { 'x-clickhouse-key': 'pass:word' }, false],
  ['nothing', {}, false],
])('%s is judged as %#', (_, headers, expected) => {
  expect(isAuthorized(headers, account)).toBe(expected)
})

describe('the parser of statements', () => {
  const parse = (query: string, body = '', fields: [string, string][] = []) =>
    parseStatement(new URLSearchParams(query), {}, { bytes: Buffer.from(body), fields: new Map(fields) })
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

  test('reads an insert from the URL and its data from the body', () => {
    const statement = parse('query=insert into t format CSV%0A', '1\n2\n')
    expect(statement.kind).toBe('insert')
    expect([text(statement.text), text(statement.data)]).toEqual(['insert into t format CSV', '1\n2\n'])
  })

  test('reads a statement from the body alone, and form fields like the URL', () => {
    expect(text(parse('', 'select 1').text)).toBe('select 1')
    const statement = parse('database=a', '', [
      ['query', 'select {x:Int8}'],
      ['param_x', '5'],
    ])
    expect(text(statement.text)).toBe('select {x:Int8}')
    expect([...statement.parameters]).toEqual([['x', '5']])
  })

  test('passes unknown parameters as settings, after the default settings', () => {
    const { settings } = parse('query_id=q&max_execution_time=5&max_threads=1', 'select 1')
    expect(settings.get('max_threads')).toBe('1')
    expect(settings.get('max_execution_time')).toBe('5')
    expect(settings.has('query_id')).toBe(false)
  })

  test('has defaults for database and format, and does not pass on an invalid format', () => {
    expect(parse('', 'select 1')).toMatchObject({ database: 'default', format: 'TabSeparated' })
    expect(parse('database=m&default_format=JSON', 'select 1')).toMatchObject({
      database: 'm',
      format: 'JSON',
    })
    expect(parse('default_format=JSON%20x', 'select 1').format).toBe('TabSeparated')
  })

  test.each([
    ['session_id=1', 'select 1', /NOT_IMPLEMENTED/],
    ['decompress=1', 'select 1', /NOT_IMPLEMENTED/],
    ['', '', /Empty query/],
    ['query=insert into t (a) FORMAT Native', '\u0001\n\n\u0002', /takes no blank line/],
    ['', 'select 1; select 2', /Multi-statements are not allowed/],
  ])('refuses %j with %j', (query, body, message) => {
    expect(() => parse(query, body)).toThrow(message)
  })

  test.each(['insert into t\n\nselect format\n\nfrom u', 'insert into t values (1),\n\n(2)', 'select 1\n\n'])(
    'accepts a blank line where no data is: %j',
    (query) => {
      expect(text(parse('', query).text)).toBe(query)
    },
  )

  test('accepts a semicolon in the data of an insert', () => {
    expect(parse('', 'insert into t values (1); (2)').kind).toBe('insert')
  })
})
