import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { LoginMark } from './login-marks-store.ts'

/** Recognises browsers and networks with an earlier login. */
export type DeviceMarks = {
  /** The stored mark of a browser or network that logged in with this e-mail address. */
  of(email: string, kind: LoginMark['kind'], name: string): LoginMark
  /** A cookie for a new browser. */
  newBrowser(): string
  /** @returns the browser's id, or null for a cookie that this key did not sign */
  readBrowser(cookie: string): string | null
}

const idCharacters = 24
const macBytes = 32
const cookieShape = /^[\w-]{24}[\w-]{43}$/

/**
 * A cookie identifies a browser: a random id and its HMAC-SHA-256, in base64url. The database has only HMACs
 * of ids and networks with the e-mail address, so that a copy of it reveals no addresses.
 * @param secretsKey `SECRETS_KEY`; a new key makes all browsers and networks unknown
 */
export const createDeviceMarks = (secretsKey: string): DeviceMarks => {
  const keyOf = (use: string) =>
    new Uint8Array(hkdfSync('sha256', secretsKey, '', `probe-mesh ${use}`, macBytes))
  const [cookieKey, markKey] = [keyOf('browser cookie'), keyOf('login mark')]
  const macOf = (id: string): Buffer => createHmac('sha256', cookieKey).update(id).digest()
  return {
    of: (email, kind, name) => ({
      kind,
      mark: createHmac('sha256', markKey)
        .update(JSON.stringify([email.toLowerCase(), kind, name]))
        .digest(),
    }),
    newBrowser: () => {
      const id = randomBytes(18).toString('base64url')
      return id + macOf(id).toString('base64url')
    },
    readBrowser: (cookie) => {
      if (!cookieShape.test(cookie)) return null
      const id = cookie.slice(0, idCharacters)
      const mac = Buffer.from(cookie.slice(idCharacters), 'base64url')
      return mac.length === macBytes && timingSafeEqual(mac, macOf(id)) ? id : null
    },
  }
}
