import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { serverVersions, tooOld } from './server-versions.ts'

const found = { Postgres: '15.18 (Debian 15.18-0+deb12u1)', ClickHouse: '25.1.2.3', NATS: '2.9.10' }

test.each([
  ['the least versions', found],
  ['later ones', { Postgres: '18.4', ClickHouse: '26.7.3.1', NATS: '2.12.1' }],
  ['a version that cannot be read', { ...found, NATS: 'unknown', ClickHouse: '' }],
  ['a version with a letter before it', { ...found, NATS: 'v2.10.0-RC.1' }],
])('a control plane starts on %s', (_, versions) => {
  expect(tooOld(versions)).toEqual([])
})

test.each([
  [{ Postgres: '14.12' }, 'Postgres is version 14.12, and 15 or later is needed: upgrade it.'],
  [{ ClickHouse: '18.16.1' }, 'ClickHouse is version 18.16.1, and 25 or later is needed: upgrade it.'],
  [{ NATS: '2.8.4' }, 'NATS is version 2.8.4, and 2.9 or later is needed: upgrade it.'],
  [{ NATS: '1.4.1' }, 'NATS is version 1.4.1, and 2.9 or later is needed: upgrade it.'],
])('an older server is named with what is needed: %j', (old, line) => {
  expect(tooOld({ ...found, ...old })).toEqual([line])
})

test('docs/deploy.md has the least version of each server, and those that were tried', async () => {
  const document = await readFile(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
  for (const [server, { least, tried }] of Object.entries(serverVersions)) {
    const row = document.split('\n').find((line) => line.startsWith(`| ${server} `)) ?? ''
    const [, , ofLeast, ofTried] = row.split('|').map((cell) => cell.trim())
    expect([server, ofLeast]).toEqual([server, least])
    for (const version of tried) expect([server, ofTried]).toEqual([server, expect.stringContaining(version)])
  }
})
