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
])('%s: authorized %#', (_, headers, expected) => {
  expect(isAuthorized(headers, account)).toBe(expected)
})

describe('a statement is read from URL and body', () => {
  const parse = (query: string, body = '', fields: [string, string][] = []) =>
    parseStatement(new URLSearchParams(query), {}, { bytes: Buffer.from(body), fields: new Map(fields) })
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

  test('an insert in the URL has its data in the body', () => {
    const statement = parse('query=insert into t format CSV%0A', '1\n2\n')
    expect(statement.kind).toBe('insert')
    expect([text(statement.text), text(statement.data)]).toEqual(['insert into t format CSV', '1\n2\n'])
  })

  test('a body alone is the statement, and form fields count as the URL does', () => {
    expect(text(parse('', 'select 1').text)).toBe('select 1')
    const statement = parse('database=a', '', [
      ['query', 'select {x:Int8}'],
      ['param_x', '5'],
    ])
    expect(text(statement.text)).toBe('select {x:Int8}')
    expect([...statement.parameters]).toEqual([['x', '5']])
  })

  test('what is not the interface’s own is a setting, and ours come before the request’s', () => {
    const { settings } = parse('query_id=q&max_execution_time=5&max_threads=1', 'select 1')
    expect(settings.get('max_threads')).toBe('1')
    expect(settings.get('max_execution_time')).toBe('5')
    expect(settings.has('query_id')).toBe(false)
  })

  test('database and format have defaults, and an odd format is not passed on', () => {
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
    ['', 'select 1; select 2', /Multi-statements are not allowed/],
  ])('%j with %j is refused', (query, body, message) => {
    expect(() => parse(query, body)).toThrow(message)
  })

  test('a semicolon in an insert’s data is data', () => {
    expect(parse('', 'insert into t values (1); (2)').kind).toBe('insert')
  })
})
