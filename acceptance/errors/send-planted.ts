import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { eventHolding, marker, planted, plantedSecrets } from './planted.ts'

/** The target, with the keys of two projects. */
export type PlantedTo = {
  origin: string
  /** Accepts events, with additional secret names. */
  open: { number: string; key: string }
  /** Has a used up quota. */
  spent: { number: string; key: string }
}

/** An answer: status, and headers with body. */
export type Answer = { status: number; text: string }

type Request = {
  path: string
  body: string | Buffer
  headers?: Record<string, string>
}

/** Sends the whole corpus, and then requests that are refused or contain other items. @returns all answers */
export const sendPlanted = async (to: PlantedTo): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (const { path, body, headers = {} } of [...valid(to), ...others(to)]) {
    const response = await fetch(`${to.origin}${path}`, { method: 'POST', body, headers })
    const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`
    answers.push({ status: response.status, text })
  }
  return answers
}

/** The number of valid events, which are all stored. */
export const validCount = planted.length

const valid = (to: PlantedTo): Request[] =>
  planted.map(({ value }) => ({
    path: envelopePath(to.open),
    body: envelope(JSON.stringify(eventHolding(value))),
  }))

const envelopePath = ({ number, key }: { number: string; key: string }): string =>
  `/api/${number}/envelope/?sentry_key=${key}`

const envelope = (payload: string, type = 'event', header: object = {}): string =>
  `${JSON.stringify(header)}\n${JSON.stringify({ type })}\n${payload}\n`

/** All secrets, one per line. */
const all = plantedSecrets.join('\n')
/** A secret that needs no escapes in a header or a path. */
const plain = plantedSecrets.find((secret) => /^[\w.-]{20,}$/.test(secret)) ?? ''

const others = ({ open, spent }: PlantedTo): Request[] => {
  const event = JSON.stringify(eventHolding(all))
  const path = envelopePath(open)
  const id = randomBytes(16).toString('hex')
  const twice = envelope(JSON.stringify({ ...eventHolding({ password: plain }), event_id: id }))
  const query = `sentry_key=${open.key}`
  const filler = randomBytes(160 * 1024).toString('base64')
  return [
    // unreadable bodies
    { path, body: envelope(event.slice(0, -1)) },
    { path, body: envelope(JSON.stringify([all])) },
    { path, body: envelope(JSON.stringify({ ...eventHolding(all), event_id: all })) },
    { path, body: `${JSON.stringify(all)}\n{"type":"event"}\n{}\n` },
    { path, body: `{"broken":${JSON.stringify(all)}` },
    { path, body: `{}\n{"type":${JSON.stringify(all)}\n${event}\n` },
    { path, body: `{}\n{"type":"event","length":${JSON.stringify(all)}}\n${event}\n` },
    { path, body: gzipSync(all), headers: { 'content-encoding': 'br' } },
    { path, body: all, headers: { 'content-encoding': plain } },
    // bodies that are too large
    { path, body: envelope(JSON.stringify({ message: all.repeat(1_000) })) },
    {
      path,
      body: gzipSync(envelope(JSON.stringify({ message: all, filler: filler.repeat(2) }))),
      headers: { 'content-encoding': 'gzip' },
    },
    // events over the quota
    ...planted.map(({ value }) => ({
      path: envelopePath(spent),
      body: envelope(JSON.stringify(eventHolding(value))),
    })),
    // a duplicate
    { path, body: twice },
    { path, body: twice },
    // items of other types
    ...['transaction', 'session', 'attachment', 'feedback', 'user_report', 'log', all].map((type) => ({
      path,
      body: envelope(JSON.stringify({ held: all }), type),
    })),
    {
      path,
      body: envelope(
        JSON.stringify({ discarded_events: [{ reason: all, category: plain, quantity: 1 }] }),
        'client_report',
      ),
    },
    // unknown ids, and invalid arguments with a valid key
    { path: `/api/${open.number}/envelope/?sentry_key=${plain}`, body: envelope(event) },
    { path: `/api/${plain}/envelope/?${query}`, body: envelope(event) },
    { path: `/api/${open.number}/${plain}/?${query}`, body: envelope(event) },
    {
      path: `/api/${open.number}/store/?${query}&sentry_secret=${plain}&more=${encodeURIComponent(all)}`,
      body: JSON.stringify({ message: marker, event_id: randomBytes(16).toString('hex') }),
      headers: {
        'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${open.key}, sentry_secret=${plain}`,
        authorization: `Bearer ${plain}`,
        cookie: `sid=${plain}`,
        referer: `https://shop.example.org/?token=${plain}`,
        'user-agent': `agent ${plain}`,
        'x-forwarded-for': '203.0.113.77',
      },
    },
    {
      path: `/api/${open.number}/envelope/`,
      body: envelope(event, 'session', {
        dsn: `https://${open.key}:${plain}@errors.example.org/${open.number}`,
        trace: { public_key: plain, user_id: all },
      }),
    },
  ]
}
