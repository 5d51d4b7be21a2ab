/** Header fields of an answer, beside those that its route gives. */
export type HeaderFields = Readonly<Record<string, string>>

const yearSeconds = 31_536_000

/**
 * What every answer says, whatever its type: browsers take it for nothing but its type, and over TLS they ask
 * for nothing here without it any more. Pure.
 * @param options.https whether the server is reached by TLS, its own or a proxy's
 */
export const answerHeaders = ({ https }: { https: boolean }): HeaderFields => ({
  'x-content-type-options': 'nosniff',
  ...(https ? { 'strict-transport-security': `max-age=${yearSeconds}` } : {}),
})

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

/** A parameter of that name, or 256 bits or more as text, which no id has. */
const tokenInUrl = /[?&]token=|[=/][\w-]{43,}(?:[/?&]|$)/i

/**
 * What a page says besides: no other window holds on to it, and it uses no device. The address of a page that
 * holds a token is told to nobody. Pure.
 * @param url of the request, with its query
 */
export const pageHeaders = (url: string): HeaderFields => ({
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': deviceFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': tokenInUrl.test(url) ? 'no-referrer' : 'same-origin',
})

/** Whether an address begins with https://. Pure. */
export const isHttps = (url: string | null): boolean =>
  url?.toLowerCase().startsWith('https://') === true
