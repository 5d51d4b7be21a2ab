import { expect, test } from 'vitest'
import { parseMajor } from './binaries.ts'
import { parsePostmaster } from './former-server.ts'

const file = [
  '4921',
  '/data/cluster',
  '1795202480',
  '54999',
  '',
  '127.0.0.1',
  '  2163090   4',
  'ready   ',
  '',
]

test.each([
  ['a server that accepts connections', file.join('\n'), { pid: 4921, status: 'ready' }],
  ['one that is still starting', file.slice(0, 6).join('\n'), { pid: 4921, status: '' }],
  ['one that is stopping', file.with(7, 'stopping').join('\n'), { pid: 4921, status: 'stopping' }],
  ['a standalone backend', '-77\n/data', { pid: 77, status: '' }],
  ['a file not yet written', '', null],
  ['something else', 'not a number\n', null],
])('parses the postmaster.pid of %s', (_, text, expected) => {
  expect(parsePostmaster(text)).toEqual(expected)
})

test.each([
  ['postgres (PostgreSQL) 18.4\n', 18],
  ['postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n', 15],
  ['postgres (PostgreSQL) 19devel', 19],
  ['postgres (PostgreSQL) 19beta2', 19],
  ['postgres (EnterpriseDB) 18.4', null],
  ['', null],
])('parses the major version of %j as %j', (line, expected) => {
  expect(parseMajor(line)).toBe(expected)
})
