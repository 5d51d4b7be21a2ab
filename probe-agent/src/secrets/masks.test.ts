import type { ServerResponse } from 'node:http'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { describe, expect, test } from 'vitest'
import { contextOf, setUp } from '../run/testing/run.ts'
import { createMasks } from './masks.ts'
import { journeyOf, opener, requestOf, startTarget } from './testing/targets.ts'

const apiKey = { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key }}' }] }
const run = (assignment: Parameters<ReturnType<typeof setUp>['runAny']>[0]) =>
  setUp({ secrets: opener }).runAny(assignment, contextOf())

describe('the answer of another host', () => {
  const word = 'horse-battery-4711'
  const own = { api_key: { value: word, hosts: ['127.0.0.1'] } }
  const echo = ({ url, headers }: { url: string; headers: object }, response: ServerResponse) =>
    response.writeHead(500, { 'x-echo': `${url} ${JSON.stringify(headers)}` }).end(`see ${word}`)
  const shownOf = async (location: (there: string) => string) => {
    const other = await startTarget(echo, { host: '127.0.0.2' })
    const target = await startTarget((_, response) =>
      response.writeHead(302, { location: location(other.at('/')) }).end(),
    )
    const reading = await run(requestOf(target.at(), apiKey, own))
    return reading.details?.type === 'http' ? reading.details.exchange : undefined
  }

  test('is shown as it is when the host never got the secret', async () => {
    expect(await shownOf((there) => there)).toMatchObject({ responseBody: `see ${word}` })
  })

  test('is masked when a redirect gave it the secret, also where it ended', async () => {
    const shown = await shownOf((there) => `${there}${word}/?k=${Buffer.from(word).toString('base64')}`)
    expect(shown).toMatchObject({ responseBody: 'see [secret api_key]' })
    expect(shown?.endedAt).toMatch(/\/\[secret api_key\]\/$/)
    expect(JSON.stringify(shown)).not.toContain('horse')
  })

  test('is masked when the jar gave it the secret in a cookie, for the steps after it too', async () => {
    const other = await startTarget(echo)
    const target = await startTarget((_, response) =>
      response.writeHead(200, { 'set-cookie': `session=${word}` }).end(),
    )
    const step = { method: 'GET', body: null, contentType: null, assertions: noStepAssertions } as const
    const bound = { api_key: { value: word, hosts: [`127.0.0.1:${target.port}`] } }
    const reading = await run(
      journeyOf(
        [
          { ...step, name: 'one', url: target.at(), options: apiKey },
          { ...step, name: 'two', url: other.at() },
        ],
        bound,
      ),
    )
    expect(other.received[0]?.headers.cookie).toBe(`session=${word}`)
    expect(reading.details).toMatchObject({ exchange: { responseBody: 'see [secret api_key]' } })
    expect(JSON.stringify(reading)).not.toContain('horse')
  })
})

test('each host has the mask of its own secrets', () => {
  const hiddenFrom = (value: string, host: string) => ({
    value,
    shown: `[secret ${host}]`,
    mayGet: (url: URL) => url.hostname === host,
  })
  const masks = createMasks([
    hiddenFrom('first-4711', 'one.example'),
    hiddenFrom('second-4711', 'two.example'),
  ])
  const text = 'first-4711 second-4711'
  expect(masks.of('https://one.example/').whole(text)).toBe('[secret one.example] second-4711')
  expect(masks.of('https://two.example/x').whole(text)).toBe('first-4711 [secret two.example]')
  expect(masks.of('https://three.example/').whole(text)).toBe(text)
  masks.sending(new URL('https://three.example/?k=Zmlyc3QtNDcxMQ'), null)
  expect(masks.of('https://three.example/').whole(text)).toBe('[secret one.example] second-4711')
  expect(masks.of('http://three.example/').whole(text)).toBe(text)
})
