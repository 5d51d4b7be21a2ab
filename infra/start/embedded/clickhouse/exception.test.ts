import { expect, test } from 'vitest'
import { addonPackage } from './engine.ts'
import { FacadeException, exceptionResponse } from './exception.ts'

test.each([
  ['Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)', 404, '60'],
  ['Code: 62. DB::Exception: Syntax error at (1). (SYNTAX_ERROR)', 400, '62'],
  [
    'Code: 27. DB::Exception: (at row 2)\n: While executing. (CANNOT_PARSE_INPUT_ASSERTION_FAILED)',
    400,
    '27',
  ],
  ['Code: 159. DB::Exception: (UNKNOWN_TABLE) took long. (TIMEOUT_EXCEEDED)', 408, '159'],
  ['Code: 241. DB::Exception: Memory. (MEMORY_LIMIT_EXCEEDED)', 500, '241'],
  ['the addon fell over', 500, '1001'],
])('answers %j with status %i and code %s, as ClickHouse does', (message, status, code) => {
  const response = exceptionResponse(message, '26.7')
  expect(response).toMatchObject({ status, code })
  expect(response.body).toMatch(/^Code: \d+\. DB::Exception: [\s\S]*\([A-Z_]+\) \(version 26\.7\)\n$/)
})

test('words its own refusals like those of the engine', () => {
  const { message } = new FacadeException(48, 'NOT_IMPLEMENTED', 'There is no such thing')
  expect(message).toBe('Code: 48. DB::Exception: There is no such thing. (NOT_IMPLEMENTED)')
  expect(exceptionResponse(message, '26.7').status).toBe(501)
})

test.each([
  ['linux', 'x64', '@chdb/lib-linux-x64-gnu'],
  ['darwin', 'arm64', '@chdb/lib-darwin-arm64'],
])('chDB for %s-%s is %s', (platform, arch, name) => {
  expect(addonPackage({ platform, arch })).toBe(name)
})

test('names the alternative where chDB does not exist', () => {
  const windows = { platform: 'win32', arch: 'x64' }
  expect(() => addonPackage(windows)).toThrow(/does not exist for win32-x64.*CLICKHOUSE_URL/)
})
