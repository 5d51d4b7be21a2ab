import type { Facts } from '@probe-mesh/check-types/reading/check-reading'
import { browserReading } from '@probe-mesh/check-types/browser/reading/details'
import { dnsReading } from '@probe-mesh/check-types/dns/reading/details'
import { grpcReading } from '@probe-mesh/check-types/grpc/reading/details'
import { smtpReading } from '@probe-mesh/check-types/smtp/reading/details'
import { tcpReading } from '@probe-mesh/check-types/tcp/reading/details'

/** The readings of the types whose settings are one object. */
const readings = {
  tcp: tcpReading,
  dns: dnsReading,
  smtp: smtpReading,
  grpc: grpcReading,
  browser: browserReading,
} as const
type Readings = typeof readings

export const detailsOfTypes = Object.values(readings).map(({ Details }) => Details)

type DetailsOf = { [Name in keyof Readings]: { type: Name } }[keyof Readings]

/** What the details of a reading tell people, by name, in order. */
export const factsOf = <D extends DetailsOf>(details: D): Facts =>
  // the type of the details names the entry that has their facts
  (readings[details.type].facts as unknown as (of: D) => Facts)(details)

/** What a reading of a type takes besides its phases, for people. */
export const restNameOf = (type: string): string => {
  if (type === 'http') return 'Redirects'
  if (type === 'multistep') return 'Between requests'
  const found = Object.values(readings).find((one) => one.type === type)
  return found !== undefined && 'rest' in found ? found.rest : 'Rest'
}
