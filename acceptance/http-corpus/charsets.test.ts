import http from 'node:http'
import { once } from 'node:events'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { pagesWithCharset, typesWithCharset } from '@probe-mesh/probe-agent/src/judge/testing/charset-cases'
import { expect, onTestFinished, test } from 'vitest'
import { startChromiumContext } from './testing/oracles.ts'

/** Chromium gives each page the charset that the agent gives it (S-361). */

const cases = [
  ...pagesWithCharset.map(([what, page, charset]) => ({ what, type: 'text/html', page, charset })),
  ...typesWithCharset.map(([what, type, page, charset]) => ({ what, type, page, charset })),
]
/** Where Chromium is not the standard, which the agent follows. */
const exceptions: Readonly<Record<string, string>> = {
  'in a script': 'windows-1252',
  'twice in one tag': 'big5',
  // a browser shows nothing of it
  'an encoding without a decoder': 'replacement',
}
/** What Chromium takes where nothing is declared; it is no statement of the page. */
const guessed: ReadonlySet<string> = new Set(['windows-1252', 'utf-8'])

test('the charset of a page is Chromium’s, wherever the page declares one', async () => {
  const server = http.createServer((request, response) => {
    const found = cases[Number(request.url?.slice(1))]
    response.writeHead(200, found?.type === undefined ? {} : { 'content-type': found.type })
    response.end(Buffer.from(found?.page ?? '', 'latin1'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { context, close } = await startChromiumContext()
  onTestFinished(close)
  const page = await context.newPage()
  const wrong: string[] = []
  for (const [at, { what, type, charset }] of cases.entries()) {
    await page.goto(`http://127.0.0.1:${portOf(server)}/${at}`, { waitUntil: 'domcontentloaded' })
    const found = String(await page.evaluate('document.characterSet')).toLowerCase()
    const expected = exceptions[what] ?? charset
    const isRight = expected === 'none' ? guessed.has(found) : found === expected
    if (!isRight) wrong.push(`${what} (${type}): ${found}, not ${charset}`)
  }
  expect(wrong).toEqual([])
}, 120_000)
