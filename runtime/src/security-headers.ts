/** Header fields that are added to those of the route. */
type HeaderFields = Readonly<Record<string, string>>

const yearSeconds = 31_536_000

/**
 * Header fields of every response: no content sniffing, and HSTS when clients use TLS.
 * @param options.https whether clients connect by TLS, to this server or to its proxy
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
 * Header fields of pages: no access from other windows, no device features, no referrer to other sites. Not
 * `no-referrer`: forms of such pages send `Origin: null`.
 */
export const pageHeaders: HeaderFields = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': deviceFeatures.map((name) => `${name}=()`).join(', '),
  'referrer-policy': 'same-origin',
}

export const isHttps = (url: string | null): boolean => url?.toLowerCase().startsWith('https://') === true
