import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { eventHolding, harmless, planted, plantedSecrets } from './planted.ts'

/** Where to, and the keys of three projects. */
export type PlantedTo = {
  origin: string
  /** Takes everything, and scrubs the names that its owner gave it. */
  open: { number: string; key: string }
  /** Has no events left. */
  spent: { number: string; key: string }
}

/** What somebody was told: its status, its headers and its body. */
export type Told = { status: number; text: string }

type Request = {
  path: string
  body: string | Buffer
  headers?: Record<string, string>
}

/** Sends the whole corpus through the door, and then everything that it refuses. @returns all answers */
export const sendPlanted = async (to: PlantedTo): Promise<Told[]> => {
  const told: Told[] = []
  for (const { path, body, headers = {} } of [...sound(to), ...refused(to)]) {
    const response = await fetch(`${to.origin}${path}`, { method: 'POST', body, headers })
    const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`
    told.push({ status: response.status, text })
  }
  return told
}

/** Events that are taken; how many there are is how many are stored. */
export const soundCount = planted.length

const sound = (to: PlantedTo): Request[] =>
  planted.map(({ value }) => ({
    path: envelopePath(to.open),
    body: envelope(JSON.stringify(eventHolding(value))),
  }))

const envelopePath = ({ number, key }: { number: string; key: string }): string =>
  `/api/${number}/envelope/?sentry_key=${key}`

const envelope = (payload: string, type = 'event', header: object = {}): string =>
  `${JSON.stringify(header)}\n${JSON.stringify({ type })}\n${payload}\n`

/** Every secret at once, a line each. */
const all = plantedSecrets.join('\n')
/** One that a header and a path take as it is. */
const plain = plantedSecrets.find((secret) => /^[\w.-]{20,}$/.test(secret)) ?? ''

const refused = ({ open, spent }: PlantedTo): Request[] => {
  const event = JSON.stringify(eventHolding(all))
  const path = envelopePath(open)
  const id = randomBytes(16).toString('hex')
  const twice = envelope(JSON.stringify({ ...eventHolding({ password: plain }), event_id: id }))
  const query = `sentry_key=${open.key}`
  const filler = randomBytes(160 * 1024).toString('base64')
  return [
    // what cannot be read
    { path, body: envelope(event.slice(0, -1)) },
    { path, body: envelope(JSON.stringify([all])) },
    { path, body: envelope(JSON.stringify({ ...eventHolding(all), event_id: all })) },
    { path, body: `${JSON.stringify(all)}\n{"type":"event"}\n{}\n` },
    { path, body: `{"broken":${JSON.stringify(all)}` },
    { path, body: `{}\n{"type":${JSON.stringify(all)}\n${event}\n` },
    { path, body: `{}\n{"type":"event","length":${JSON.stringify(all)}}\n${event}\n` },
    { path, body: gzipSync(all), headers: { 'content-encoding': 'br' } },
    { path, body: all, headers: { 'content-encoding': plain } },
    // what is too large
    { path, body: envelope(JSON.stringify({ message: all.repeat(1_000) })) },
    {
      path,
      body: gzipSync(envelope(JSON.stringify({ message: all, filler: filler.repeat(2) }))),
      headers: { 'content-encoding': 'gzip' },
    },
    // what is beyond the quota
    ...planted.map(({ value }) => ({
      path: envelopePath(spent),
      body: envelope(JSON.stringify(eventHolding(value))),
    })),
    // what came before
    { path, body: twice },
    { path, body: twice },
    // what is no event
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
      body: JSON.stringify({ message: harmless, event_id: randomBytes(16).toString('hex') }),
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
