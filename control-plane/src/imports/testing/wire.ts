import { createServer, type Socket } from 'node:net'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { bindTo } from '@probe-mesh/contracts/secret/secret'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { ownConnection } from '@probe-mesh/probe-agent/src/request/own-connection'
import { ask } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { fillRequest } from '@probe-mesh/probe-agent/src/secrets/fill-request'
import type { FoundSecret } from '../draft/found-secrets.ts'

/** A request as its bytes say it. Header names are in lower case, values of one name in their order. */
export type Wire = {
  method: string
  target: string
  headers: Readonly<Record<string, readonly string[]>>
  body: string
}

/** A server that keeps the bytes of each request, and answers `ok`; `/to?URL` redirects. */
export type Recorder = { origin: string; host: string; take(): Wire[]; close(): Promise<void> }

export const startRecorder = async (): Promise<Recorder> => {
  let taken: Wire[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const wire = wireOf(bytes)
      if (wire === null) return
      bytes = Buffer.alloc(0)
      taken.push(wire)
      const to = /^\/to\?(.*)$/.exec(wire.target)?.[1]
      const head = to === undefined ? '200 OK' : `302 Found\r\nLocation: ${to}`
      socket.end(
        `HTTP/1.1 ${head}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n${wire.method === 'HEAD' ? '' : 'ok'}`,
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${portOf(server)}`
  return {
    origin: `http://${host}`,
    host,
    take: () => {
      const all = taken
      taken = []
      return all
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** null: the request is not complete. */
const wireOf = (bytes: Buffer): Wire | null => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [line = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string[]> = {}
  for (const field of fields) {
    const at = field.indexOf(':')
    ;(headers[field.slice(0, at).toLowerCase()] ??= []).push(field.slice(at + 1).trim())
  }
  const body = bytes.subarray(end + 4)
  const isWhole =
    headers['transfer-encoding'] === undefined
      ? body.length >= Number(headers['content-length']?.[0] ?? 0)
      : body.toString('latin1').endsWith('0\r\n\r\n')
  if (!isWhole) return null
  const [method = '', target = ''] = line.split(' ')
  return { method, target, headers, body: body.toString() }
}

const trust = createTrust()

/** Sends a request as the probe does, to any host at the recorder. */
export const sendByProbe = async (
  { url, request }: { url: string; request?: HttpRequest | undefined },
  secrets: readonly FoundSecret[],
  more: Parameters<typeof ask>[2] = {},
): Promise<void> => {
  const sealed = Object.fromEntries(
    secrets.map(({ name, hosts, value }) => [name, { value, ...bindTo(hosts, [url]) }]),
  )
  const filled = request === undefined ? null : fillRequest(url, request, { secrets: sealed, trust })
  if (filled !== null && !filled.ok) throw new Error(filled.problems.join('; '))
  const connection = ownConnection(url, request ?? null)
  const outcome = await ask(url, { connection, ...(filled !== null && { message: filled.message }) }, more)
  if (!outcome.ok) throw new Error(outcome.reason)
}

/** Headers that each program sends by itself, with the values that say nothing of the request. */
const usual: Readonly<Record<string, RegExp>> = {
  'user-agent': /^(?:curl\/|ProbeMesh\/)/,
  accept: /^\*\/\*$/,
  'accept-encoding': /^gzip, deflate, br$/,
  connection: /^close$/,
  'content-length': /^0$/,
}

const withoutUsual = ({ headers }: Wire, { own }: { own: readonly string[] }): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => !own.includes(name))
    .filter(([name, values]) => values.length > 1 || usual[name]?.test(values[0] ?? '') !== true)
    .map(([name, values]) => [name, values.join('\n')])

/** Versions of curl differ in the case of hexadecimal digits. */
const upperHex = (text: string): string => text.replaceAll(/%[0-9a-f]{2}/gi, (byte) => byte.toUpperCase())

/** What differs in the bytes of two requests: `method`, `target`, `body`, and headers by name. */
export const differencesOf = (expected: Wire, sent: Wire): string[] => {
  // files leave out what follows from the URL and the body
  const own = ['host', 'content-length'].filter((name) => expected.headers[name] === undefined)
  const [before, after] = [new Map(withoutUsual(expected, { own })), new Map(withoutUsual(sent, { own }))]
  const names = new Set([...before.keys(), ...after.keys()])
  return [
    ...(['method', 'target', 'body'] as const).filter(
      (part) => upperHex(expected[part]) !== upperHex(sent[part]),
    ),
    ...[...names].filter((name) => before.get(name) !== after.get(name)).toSorted(),
  ]
}

/** The differences that no warning names. */
export const silentOf = (differences: readonly string[], warnings: readonly string[]): string[] =>
  differences.filter((each) => !warnings.some((warning) => named(each).test(warning)))

const named = (difference: string): RegExp =>
  difference === 'target'
    ? /The probe sends the path and query|The empty query/
    : difference === 'body'
      ? /written with other escapes/
      : new RegExp(`(?<![\\w-])${difference}(?![\\w-])`, 'i')

/** The request that an entry of a HAR file records, without the cookies, which a journey has from its jar. */
export const recordedWire = (entry: unknown): Wire => {
  const { request } = entry as {
    request: {
      method: string
      url: string
      headers: { name: string; value: string }[]
      postData?: { text?: string }
    }
  }
  const headers: Record<string, string[]> = {}
  for (const { name, value } of request.headers) {
    const key = name.toLowerCase()
    if (!key.startsWith(':') && key !== 'cookie') (headers[key] ??= []).push(value)
  }
  const target = request.url.replace(/^[a-z]+:\/\/[^/]*/, '')
  return { method: request.method, target, headers, body: request.postData?.text ?? '' }
}
