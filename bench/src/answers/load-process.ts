// Asks one server over and over, in a process of its own, each time something else.
import { answerParent } from '../child.ts'
import { percentile } from '../statistics.ts'
import { openAsker } from './asker.ts'
import { pathsOf, reportPath, servicesOf } from './names.ts'

export type LoadQuestion = {
  port: number
  /** How many services the server has. */
  services: number
  connections: number
  seconds: number
} & ({ kind: 'ask' } | { kind: 'report'; perMinute: number })

export type LoadAnswer = {
  requests: number
  /** Not answered with 200. */
  errors: number
  seconds: number
  latencyP99Ms: number
}

/** Sends requests over every connection, one after another, until each gives none. */
const load = async (
  { port, connections }: LoadQuestion,
  next: (connection: number) => Promise<Buffer | null>,
): Promise<LoadAnswer> => {
  const askers = await Promise.all(Array.from({ length: connections }, () => openAsker(port)))
  const latencies: number[] = []
  let errors = 0
  const startedAt = performance.now()
  const awake = stayAwake()
  await Promise.all(
    askers.map(async (asker, connection) => {
      for (;;) {
        const request = await next(connection)
        if (request === null) break
        const sentAt = performance.now()
        const status = await asker.send(request)
        latencies.push(performance.now() - sentAt)
        if (status !== 200) errors += 1
      }
      asker.close()
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  awake.close()
  const latencyP99Ms = percentile(latencies, 0.99)
  return { requests: latencies.length, errors, seconds, latencyP99Ms }
}

/**
 * Asks for events without ever waiting: on a virtual machine it takes a server tens of microseconds
 * to wake who sleeps, the longer the server itself takes the more often, and none of it is its own.
 */
const stayAwake = (): { close(): void } => {
  let open = true
  const turn = (): void => {
    if (open) setImmediate(turn)
  }
  turn()
  return {
    close: () => {
      open = false
    },
  }
}

/** As fast as answers come. Each connection begins elsewhere: no two ask for the same at once. */
const ask = async (question: LoadQuestion & { kind: 'ask' }): Promise<LoadAnswer> => {
  const { port, connections, services, seconds } = question
  const requests = pathsOf(servicesOf(services)).map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
  )
  const places = Array.from({ length: connections }, (_, index) =>
    Math.floor((index * requests.length) / connections),
  )
  const endsAt = performance.now() + seconds * 1_000
  return load(question, async (connection) => {
    if (performance.now() >= endsAt) return null
    const place = places[connection] ?? 0
    places[connection] = (place + 1) % requests.length
    return requests[place] ?? null
  })
}

let addresses = 0

/** As many a minute as are asked for, each from another address; half of them on one service. */
const report = async (question: LoadQuestion & { kind: 'report' }): Promise<LoadAnswer> => {
  const { port, services, perMinute, seconds } = question
  const slugs = servicesOf(services).map(({ slug }) => slug)
  const startedAt = performance.now()
  let sent = 0
  return load(question, async () => {
    const number = sent++
    const dueInMs = startedAt + (number * 60_000) / perMinute - performance.now()
    if (number * 60 >= seconds * perMinute) return null
    if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs))
    const slug = number % 2 === 0 ? slugs[0] : slugs[number % slugs.length]
    return reportOf(port, slug ?? '')
  })
}

const reportOf = (port: number, slug: string): Buffer => {
  const body = '{"region":"fra"}'
  const number = addresses++
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return Buffer.from(
    [
      `POST ${reportPath(slug)} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `X-Forwarded-For: ${address}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
}

answerParent<LoadQuestion>((question) => {
  switch (question.kind) {
    case 'ask':
      return ask(question)
    case 'report':
      return report(question)
    default:
      return question satisfies never
  }
})
