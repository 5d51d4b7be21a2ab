import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { parseConnectTo, type Dialled } from '@probe-mesh/contracts/target/connect-to'
import type { Target } from '@probe-mesh/contracts/target/target'
import { deniedTarget, unsafeTarget } from './failure.ts'
import { isDeniedName, type Guard } from './guard.ts'
import type { Failure } from './outcome.ts'

/** How a check connects to one scheme, host and port: its own, never those of a redirect (S-351). */
export type OwnConnection = Pick<
  RequestOptions,
  'connectTo' | 'hostHeader' | 'serverName' | 'caCertificates' | 'pins'
> & {
  /** The origin of the check's URL. */
  origin: string
}

/** @returns undefined for a request without such settings */
export const ownConnection = (url: string, options: RequestOptions | null): OwnConnection | undefined => {
  if (options === null) return undefined
  const { connectTo, hostHeader, serverName, caCertificates, pins } = options
  const settings = { connectTo, hostHeader, serverName, caCertificates, pins }
  const origin = URL.parse(url)?.origin
  return origin === undefined || Object.values(settings).every((each) => each === undefined)
    ? undefined
    : { ...settings, origin }
}

/** As curl's `--connect-to` and `--resolve`: a redirect back to the same scheme, host and port has them too. */
export const ownFor = ({ url }: Target, own: OwnConnection | undefined): OwnConnection | null =>
  own !== undefined && own.origin === url.origin ? own : null

/** The settings that a redirect away from their scheme, host and port does not have (S-351). */
export const leftBehind = (
  { from, to }: { from: string; to: string },
  own: OwnConnection | undefined,
): readonly string[] => {
  if (own === undefined) return []
  const { origin, ...settings } = own
  if (new URL(from).origin !== origin || new URL(to).origin === origin) return []
  return Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

/**
 * Where to connect; refused like any target that is not allowed, and where a site that opted out would get the request
 * under its name at another address.
 */
export const dialledOf = (
  target: Target,
  own: OwnConnection | null,
  { allow, deny }: Pick<Guard, 'allow' | 'deny'>,
): Dialled | Failure => {
  if (isDenied(target, own, { deny })) return deniedTarget
  if (own?.connectTo === undefined) return target
  const parsed = parseConnectTo(own.connectTo, { allow, defaultPort: target.port })
  return parsed.ok ? parsed.dialled : unsafeTarget
}

const isDenied = ({ host }: Target, own: OwnConnection | null, { deny }: Pick<Guard, 'deny'>): boolean => {
  if (own === null) return false
  const named = own.hostHeader === undefined ? null : URL.parse(`http://${own.hostHeader}/`)
  return isDeniedName([host, named?.hostname, own.serverName], { deny })
}
