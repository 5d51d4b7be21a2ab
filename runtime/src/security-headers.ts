/** Header fields that are added to those of the route. */
type HeaderFields = Readonly<Record<string, string>>

const yearSeconds = 31_536_000

/** What we use of a reply of Fastify. */
type Reply<Self> = { header(name: string, value: string): Self; request: { id: string } }

/**
 * Adds the header fields of every response: no content sniffing, HSTS when clients use TLS, and the id of the request,
 * which log lines name.
 * @param server.tls present: clients connect to this server by TLS
 * @param server.url the public URL, which may belong to a proxy that terminates TLS
 */
export const answerHeaders = (server: {
  tls?: object | null | undefined
  url: string | null | undefined
}): (<R extends Reply<R>>(reply: R) => R) => {
  const isSecure = (server.tls ?? null) !== null || isHttps(server.url ?? null)
  return (reply) => {
    reply.header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
    return isSecure ? reply.header('strict-transport-security', `max-age=${yearSeconds}`) : reply
  }
}

const deviceFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]

/**
 * Header fields of pages: no access from other windows, no device features, no referrer to other sites. Not
 * `no-referrer`: forms of such pages send `Origin: null`.
 */
export const pageHeaders: HeaderFields = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': deviceFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': 'same-origin',
}

const isHttps = (url: string | null): boolean => url?.toLowerCase().startsWith('https://') === true
