import { Agent, request } from 'node:http'
import { collectGarbage } from '@probe-mesh/infra/testing/collect-garbage'
import { expect } from 'vitest'
import { hostileRequests, heldBytesMax, seed } from './fuzz.ts'
import { randomOf, type Random } from './hostile-bytes.ts'

/** Hostile requests over real keep-alive connections. */

export type HostileRequest = {
  method?: string
  path: string
  headers: Record<string, string>
  body: Uint8Array
}

/** The number of answers by status; `closed`: the server closed the connection of a refused body. */
export type Answers = ReadonlyMap<number | 'closed', number>

type Answer = { status: number | 'closed'; text: string }

const connections = 16
/** Longer than any answer takes, and longer than the server's own timeouts. */
const answerMsMax = 60_000
/** Answers that refuse a request before its body is read. */
const atTheDoor: ReadonlySet<unknown> = new Set([401, 403, 404, 429, 503, 'closed'])
/** Whether the server failed. An overload is a documented answer, in a form of each entrance. */
const isFailure = ({ status, text }: Answer): boolean =>
  typeof status === 'number' &&
  status >= 500 &&
  !(status === 503 && /SV-9002|temporarily unavailable|try again|retry in/i.test(text))

const contentTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'nonsense',
  '',
]

/** Mostly the usual content type of the entrance. */
export const contentTypeOf = (random: Random, usual: string): string =>
  random() < 0.92 ? usual : (contentTypes[Math.floor(random() * contentTypes.length)] ?? '')

/** The bytes in another encoding than UTF-8, seldom. */
export const inAnyEncoding = (random: Random, bytes: Uint8Array): Uint8Array => {
  const how = random()
  const text = Buffer.from(bytes)
  if (how < 0.96) return bytes
  if (how < 0.97) return Buffer.from(text.toString(), 'utf16le')
  if (how < 0.98) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text])
  if (how < 0.99) return Buffer.concat([text, Buffer.from([0xed, 0xa0, 0x80])])
  return Buffer.from(text.toString(), 'latin1')
}

/**
 * Attacks a server. It must answer each request in time without an internal error, read most of the bodies,
 * and release its memory afterwards.
 * @param make creates the next request, after any preparation
 * @param explain returns the server's log of a failure
 */
export const fuzzServer = async (
  origin: string,
  make: (random: Random) => HostileRequest,
  explain: () => string = () => '',
): Promise<Answers> => {
  const random = randomOf(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const answers = new Map<number | 'closed', number>()
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  let sent = 0
  const attack = async (): Promise<void> => {
    while (sent < hostileRequests) {
      const number = sent++
      const hostile = make(random)
      const answer = await send(origin, agent, hostile)
      const { status } = answer
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (!isFailure(answer)) continue
      const start = Buffer.from(hostile.body.subarray(0, 300)).toString()
      const body = answer.text.slice(0, 500)
      const what = `${hostile.method ?? 'POST'} ${hostile.path} ${JSON.stringify(hostile.headers)}`
      throw new Error(
        `attack ${number} of seed ${seed} got ${status} ${body}: ${what}, ${hostile.body.length} bytes: ${start}\n${explain()}`,
      )
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, attack))
  } finally {
    agent.destroy()
  }
  const shown = JSON.stringify(Object.fromEntries(answers))
  if (process.env['FUZZ_ATTACKS'] !== undefined) process.stdout.write(`${shown}\n`)
  const refused = [...answers].filter(([status]) => atTheDoor.has(status))
  // most requests must pass the checks before the body
  expect(
    refused.reduce((sum, [, count]) => sum + count, 0),
    shown,
  ).toBeLessThan(hostileRequests / 2)
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(heldBytesMax)
  return answers
}

const send = (
  origin: string,
  agent: Agent,
  { method = 'POST', path, headers, body }: HostileRequest,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sending = request(origin + path, {
      method,
      agent,
      headers: { ...headers, 'content-length': body.length },
    })
    sending.setTimeout(answerMsMax, () => {
      sending.destroy(new Error(`${path} got no response within ${answerMsMax} ms`))
    })
    sending.once('response', (response) => {
      const { statusCode: status = 0 } = response
      let text = ''
      const done = (): void => resolve({ status, text })
      response.once('error', done).once('end', done)
      // a stream has no end
      if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
        done()
        sending.destroy()
      } else if (status >= 500) {
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      } else response.resume()
    })
    sending.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') {
        resolve({ status: 'closed', text: '' })
      } else reject(error)
    })
    sending.end(body)
  })
