import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { createSearch } from './traces.ts'

const secret = 'hunter2 "Zq"/&+'
const search = createSearch([secret, 'another secret'])
const found = (text: string | Buffer) =>
  search.inBytes('here', Buffer.from(text)).map((trace) => trace.secret)

test.each<[string, string | Buffer]>([
  ['in plain text', `a ${secret} b`],
  ['between binary bytes', Buffer.concat([Buffer.from([0, 255, 7]), Buffer.from(secret)])],
  ['in a URL', `?a=${encodeURIComponent(secret)}&b`],
  ['in JSON', JSON.stringify({ a: secret })],
  ['in HTML', '<b>hunter2 &quot;Zq&quot;/&amp;+</b>'],
  ['in hexadecimal', `\\x00${Buffer.from(secret).toString('hex')}00`],
  ...[0, 1, 2].flatMap((before): [string, string][] =>
    [0, 1, 2].map((after) => [
      `in base64 with ${before} bytes before it and ${after} after it`,
      Buffer.from(`${'x'.repeat(before)}${secret}${'y'.repeat(after)}`).toString('base64'),
    ]),
  ),
  ['in base64url', Buffer.from(`xx${secret}y`).toString('base64url')],
])('finds a secret %s', (_, text) => {
  expect(found(text)).toContain(secret)
})

test('does not find a truncated or different secret', () => {
  expect(found(secret.slice(1))).toEqual([])
  expect(found(secret.slice(0, -1))).toEqual([])
  expect(found(secret.replace('Zq', 'ZQ'))).toEqual([])
})

test('searches every file of a folder', async () => {
  const folder = testFolder('traces-')
  await writeFile(join(folder, 'a'), 'nothing')
  await writeFile(join(folder, 'b'), 'here is another secret')
  expect(await search.inFiles(folder)).toEqual([
    { where: join(folder, 'b'), secret: 'another secret', form: 'another secret' },
  ])
})
