import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { serverVersions, tooOld } from './await-servers.ts'

const found = { Postgres: '15.18 (Debian 15.18-0+deb12u1)', ClickHouse: '25.1.2.3', NATS: '2.9.10' }

test.each([
  ['the oldest supported versions', found],
  ['later versions', { Postgres: '18.4', ClickHouse: '26.7.3.1', NATS: '2.12.1' }],
  ['an unreadable version', { ...found, NATS: 'unknown', ClickHouse: '' }],
  ['a version with a letter before it', { ...found, NATS: 'v2.10.0-RC.1' }],
])('a control plane starts on %s', (_, versions) => {
  expect(tooOld(versions)).toEqual([])
})

test.each([
  [{ Postgres: '14.12' }, 'Postgres is version 14.12; version 15 or later is required. Upgrade it.'],
  [{ ClickHouse: '18.16.1' }, 'ClickHouse is version 18.16.1; version 25 or later is required. Upgrade it.'],
  [{ NATS: '2.8.4' }, 'NATS is version 2.8.4; version 2.9 or later is required. Upgrade it.'],
  [{ NATS: '1.4.1' }, 'NATS is version 1.4.1; version 2.9 or later is required. Upgrade it.'],
])('a control plane names an older server and the version it needs: %j', (old, line) => {
  expect(tooOld({ ...found, ...old })).toEqual([line])
})

test('docs/deploy.md has the oldest supported version of each server and the tested ones', async () => {
  const document = await readFile(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
  for (const [server, { least, tried }] of Object.entries(serverVersions)) {
    const row = document.split('\n').find((line) => line.startsWith(`| ${server} `)) ?? ''
    const [, , ofLeast, ofTried] = row.split('|').map((cell) => cell.trim())
    expect([server, ofLeast]).toEqual([server, least])
    for (const version of tried) expect([server, ofTried]).toEqual([server, expect.stringContaining(version)])
  }
})
