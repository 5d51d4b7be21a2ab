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

/**
 * What a page says besides: no other window holds on to it, it uses no device, and its address is told to no
 * other site. Forms of pages with `no-referrer` say `Origin: null`, and over plain HTTP nothing else.
 */
export const pageHeaders: HeaderFields = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': deviceFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': 'same-origin',
}

/** Whether an address begins with https://. Pure. */
export const isHttps = (url: string | null): boolean =>
  url?.toLowerCase().startsWith('https://') === true
